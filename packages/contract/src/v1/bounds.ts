/** How many items and members the parts of a body may have, so that they are counted before anything in them is decoded. */
import { type Schema, SchemaAST } from "effect"

/** Most members of an object that its schema does not know and that are still named one by one. */
export const UNKNOWN_MEMBERS_MAX = 100

interface Bound {
  /** Infinity where the schema has no bound. */
  readonly most: number
  readonly detail: string
  /** The bounds of the item or the member of this name. */
  readonly inside: (name: string) => Bounds | undefined
}

/** The bounds of a list, of an object, or of a value that may be either; anything else has none. */
export interface Bounds {
  readonly list?: Bound
  readonly object?: Bound
}

/** A part that holds more than it may. */
export interface Oversize {
  readonly path: ReadonlyArray<string>
  readonly detail: string
}

type Check = NonNullable<SchemaAST.AST["checks"]>[number]

/** The checks that bound a number of items or members, with the name that each has for the bound. */
const COUNTING_CHECKS: Readonly<Record<string, string>> = {
  "effect/schema/isMaxLength": "maxLength",
  "effect/schema/isBetweenLength": "maximum",
  "effect/schema/isMaxProperties": "maxProperties"
}

const countedBy = (check: Check): Pick<Bound, "most" | "detail"> | undefined => {
  const { message, representation } = check.annotations ?? {}
  const name = COUNTING_CHECKS[representation?.id ?? ""]
  if (representation === undefined || name === undefined) return undefined
  const most = (representation.payload as Readonly<Record<string, number>>)[name] ?? Number.POSITIVE_INFINITY
  return { most, detail: typeof message === "string" ? message : `must have at most ${most} parts` }
}

const UNBOUNDED = { most: Number.POSITIVE_INFINITY, detail: "" }

const boundOf = ({ checks }: SchemaAST.AST) =>
  (checks ?? []).map(countedBy).find((bound) => bound !== undefined) ?? UNBOUNDED

/** The same bounds for every part, whatever its name. */
const insideAll = (ast: SchemaAST.AST | undefined): Bound["inside"] => {
  const bounds = ast === undefined ? undefined : boundsIn(ast)
  return () => bounds
}

const objectBounds = (ast: SchemaAST.Objects): Bound => {
  const [index] = ast.indexSignatures
  if (index !== undefined) return { ...boundOf(ast), inside: insideAll(index.type) }
  const members = new Map(ast.propertySignatures.map(({ name, type }) => [String(name), boundsIn(type)]))
  const most = members.size + UNKNOWN_MEMBERS_MAX
  return { most, detail: `must have at most ${most} members`, inside: (name) => members.get(name) }
}

const boundsIn = (ast: SchemaAST.AST): Bounds | undefined => {
  switch (ast._tag) {
    case "Arrays":
      return { list: { ...boundOf(ast), inside: insideAll(ast.rest[0]) } }
    case "Objects":
      return { object: objectBounds(ast) }
    case "Union":
      return Object.assign({}, ...ast.types.map(boundsIn))
    default:
      return undefined
  }
}

/** The bounds of what a schema reads; none where it reads neither lists nor objects. */
export const boundsOf = (schema: Schema.Constraint): Bounds => boundsIn(SchemaAST.toEncoded(schema.ast)) ?? {}

/** The parts of a value that hold more than they may. What is inside of these is not looked at. */
export const oversizeIn = (
  bounds: Bounds | undefined,
  value: unknown,
  path: Oversize["path"] = []
): ReadonlyArray<Oversize> => {
  if (bounds === undefined || typeof value !== "object" || value === null) return []
  const isList = Array.isArray(value)
  const bound = isList ? bounds.list : bounds.object
  if (bound === undefined) return []
  const count = isList ? value.length : Object.keys(value).length
  if (count > bound.most) return [{ path, detail: bound.detail }]
  return Object.entries(value).flatMap(([name, part]) => oversizeIn(bound.inside(name), part, [...path, name]))
}
