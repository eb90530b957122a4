/** Tables of what an operation takes and answers, from the OpenAPI document. */
import { table } from "./markdown.ts"
import { type Addressed, type Content, type JsonSchema, operations, type Parameter, resolved } from "./openApi.ts"
import { anchorOf } from "./operations.ts"

/** How many levels of objects inside of an object have rows of their own. */
const DEPTH_MAX = 2

const code = (value: unknown): string => `\`${typeof value === "string" ? value : JSON.stringify(value)}\``
const count = (value: number): string => value.toLocaleString("en-US")

const rangeOf = (least: number | undefined, most: number | undefined): string => {
  if (most === undefined || most === Number.MAX_SAFE_INTEGER) return ""
  return least === undefined ? `up to ${count(most)}` : `${count(least)} to ${count(most)}`
}

/** How many there may be. A least of 0 is not mentioned. */
const upTo = (least: number | undefined, most: number | undefined): string =>
  rangeOf(least === 0 ? undefined : least, most)

/** The schemas of a union; undefined for any other schema. */
const optionsOf = (schema: JsonSchema): ReadonlyArray<JsonSchema> | undefined => schema.anyOf ?? schema.oneOf

/** A schema without its null, and whether it had one. */
const withoutNull = (given: JsonSchema): { readonly schema: JsonSchema; readonly nullable: boolean } => {
  const schema = resolved(given)
  const parts = schema.anyOf?.filter(({ type }) => type !== "null")
  const [only, ...others] = parts ?? []
  if (schema.anyOf === undefined || parts?.length === schema.anyOf.length) return { schema, nullable: false }
  if (only === undefined || others.length > 0) return { schema: { ...schema, anyOf: parts ?? [] }, nullable: true }
  return {
    schema: { ...resolved(only), ...(schema.description ? { description: schema.description } : {}) },
    nullable: true
  }
}

const stringOf = ({ format, maxLength, minLength }: JsonSchema): string => {
  if (format === "date-time") return "a time"
  if (format === "uuid") return "an id"
  return maxLength === undefined ? "text" : `${upTo(minLength, maxLength)} characters`
}

const valueOf = (given: JsonSchema): string => {
  const { nullable, schema } = withoutNull(given)
  const said = plainValueOf(schema)
  return nullable ? `${said}, or null` : said
}

/** An object whose members have names of the caller's own. */
const mapOf = (values: JsonSchema, most: number | undefined): string => {
  const bounds = upTo(undefined, most)
  const value = valueOf(values)
  if (values.type === "string") return `${bounds || "any"} pairs of text`
  const whole = bounds === "" ? "an object" : `an object of ${bounds} members`
  return value === "any JSON" ? whole : `${whole}, each member ${value}`
}

const plainValueOf = (schema: JsonSchema): string => {
  if (schema.enum !== undefined) return schema.enum.map(code).join(", ")
  const options = optionsOf(schema)
  if (options !== undefined) return [...new Set(options.map(valueOf))].join("; or ")
  switch (schema.type) {
    case "string":
      return stringOf(schema)
    case "integer":
    case "number":
      return rangeOf(schema.minimum, schema.maximum) || "a number"
    case "boolean":
      return "true or false"
    case "array": {
      const bounds = upTo(schema.minItems, schema.maxItems)
      const items = schema.items === undefined ? "anything" : valueOf(schema.items)
      return `${bounds === "" ? "a list" : `a list of ${bounds}`}, each ${items}`
    }
    case "object":
      return typeof schema.additionalProperties === "object" && schema.properties === undefined
        ? mapOf(resolved(schema.additionalProperties), schema.maxProperties)
        : "an object"
    default:
      return "any JSON"
  }
}

const membersOf = (schema: JsonSchema): ReadonlyArray<readonly [string, JsonSchema, boolean]> =>
  Object.entries(schema.properties ?? {}).map(([name, member]) => [
    name,
    member,
    schema.required?.includes(name) ?? false
  ])

const literalOf = (schema: JsonSchema | undefined): string | undefined =>
  schema?.enum?.length === 1 && typeof schema.enum[0] === "string" ? schema.enum[0] : undefined

/** The member that tells the objects of a union apart, such as `type`, which has one value in each; undefined without one. */
const discriminatorOf = (options: ReadonlyArray<JsonSchema>): string | undefined =>
  Object.keys(options[0]?.properties ?? {}).find((name) => {
    const values = options.map((option) => literalOf(option.properties?.[name]))
    return !values.includes(undefined) && new Set(values).size === options.length
  })

/** The description of a member, beside its reference or inside of a nullable union. */
const descriptionOf = (schema: JsonSchema): string =>
  schema.description ??
  schema.allOf?.find(({ description }) => description !== undefined)?.description ??
  withoutNull(schema).schema.description ??
  resolved(schema).description ??
  ""

const defaultOf = (schema: JsonSchema, required: boolean): string => {
  const fallback = schema.default ?? withoutNull(schema).schema.default
  return required ? "required" : fallback === undefined ? "" : code(fallback)
}

/** The name of the component that the schema stands for, be it as it is, as what may be null, or as the items of a list. */
const componentOf = (schema: JsonSchema): string | undefined =>
  [schema, ...(schema.anyOf ?? []), ...(schema.allOf ?? [])]
    .flatMap((part) => [part.$ref, part.items?.$ref])
    .find((reference) => reference !== undefined)

/** The cells of a member's row behind its name; `known` names the operation that describes the member's own members, if one does. */
type Cells = (schema: JsonSchema, required: boolean, known: string | undefined) => ReadonlyArray<string>

/**
 * The rows of an object's members, those of objects inside it behind them, as `endpoint.url` and `items[].date`. Where `describedAt` names
 * the operation that describes a component, the component's members have no rows here.
 */
const rowsOf = (
  object: JsonSchema,
  cells: Cells,
  describedAt: (component: string) => string | undefined = () => undefined,
  prefix = "",
  depth = 0
): ReadonlyArray<ReadonlyArray<string>> => {
  const objects = (optionsOf(object) ?? []).map(resolved).filter(({ properties }) => properties !== undefined)
  if (objects.length > 1) return unionRowsOf(objects, cells, describedAt, prefix, depth)
  return membersOf(objects[0] ?? object).flatMap(([name, member, required]) => {
    const { schema } = withoutNull(member)
    const items = schema.type === "array" ? schema.items : undefined
    const inner = items === undefined ? schema : withoutNull(items).schema
    const place = `${prefix}${name}`
    const component = componentOf(member) ?? (items === undefined ? undefined : componentOf(items))
    const known = component === undefined ? undefined : describedAt(component)
    const behind = `${place}${items === undefined ? "" : "[]"}.`
    const nested = known === undefined && depth < DEPTH_MAX ? rowsOf(inner, cells, describedAt, behind, depth + 1) : []
    return [[code(place), ...cells(member, required, known)], ...nested]
  })
}

/** The rows of the objects of a union: what tells them apart first, then each row once, with the objects that have it. */
const unionRowsOf = (
  objects: ReadonlyArray<JsonSchema>,
  cells: Cells,
  describedAt: (component: string) => string | undefined,
  prefix: string,
  depth: number
): ReadonlyArray<ReadonlyArray<string>> => {
  const by = discriminatorOf(objects)
  if (by === undefined) return []
  const kinds = objects.map(({ properties }) => literalOf(properties?.[by]) ?? "")
  const first = code(`${prefix}${by}`)
  const rows = objects.flatMap((object, place) =>
    rowsOf(object, cells, describedAt, prefix, depth)
      .filter(([name]) => name !== first)
      .map((row) => ({ row, kind: code(kinds[place]) }))
  )
  const alike = [...Map.groupBy(rows, ({ row }) => JSON.stringify(row)).values()]
  return [
    [first, ...cells({ ...objects[0]?.properties?.[by], enum: kinds }, true, undefined)],
    ...alike.flatMap((same) =>
      // Of rows that are the same, one stands for all.
      same.slice(0, 1).map(({ row }) => {
        const of = same.length === objects.length ? "" : `Of ${same.map(({ kind }) => kind).join(", ")}: `
        return [...row.slice(0, -1), `${of}${row.at(-1)}`]
      })
    )
  ]
}

const IDEMPOTENCY_KEY = "Idempotency-Key"

/** Whether the operation takes an idempotency key. */
export const takesIdempotencyKey = ({ operation }: Addressed): boolean =>
  operation.parameters?.some(({ name }) => name === IDEMPOTENCY_KEY) ?? false

const ownParameters = ({ operation }: Addressed): ReadonlyArray<Parameter> =>
  (operation.parameters ?? []).filter(
    (one) => one.$ref === undefined && one.in !== "path" && one.name !== IDEMPOTENCY_KEY
  )

const jsonOf = (content: Content | undefined) => content?.["application/json"]?.schema

const parameterRow = (parameter: Parameter): ReadonlyArray<string> => [
  parameter.in === "header" ? `header ${code(parameter.name)}` : code(parameter.name),
  valueOf(parameter.schema),
  defaultOf(parameter.schema, parameter.required ?? false),
  parameter.description ?? descriptionOf(parameter.schema)
]

/** The inputs of an operation: parameters first, then the members of its body. */
export const takes = (one: Addressed): ReadonlyArray<string> => {
  const body = jsonOf(one.operation.requestBody?.content)
  const rows = rowsOf(resolved(body ?? {}), (schema, required) => [
    valueOf(schema),
    defaultOf(schema, required),
    descriptionOf(schema)
  ])
  return [
    ...table(["Parameter", "Value", "Default", "Meaning"], ownParameters(one).map(parameterRow)),
    ...table(["Member", "Value", "Default", "Meaning"], rows)
  ]
}

/** The statuses with which an operation succeeds, and what is answered then: the same for each of them. */
const successOf = ({
  operation
}: Addressed): { readonly statuses: ReadonlyArray<string>; readonly content: Content } => {
  const successes = Object.entries(operation.responses).filter(([status]) => /^[23]/.test(status))
  return { statuses: successes.map(([status]) => status), content: successes[0]?.[1].content ?? {} }
}

/**
 * The first operation that answers each component: its members are described there, and elsewhere by a link. The list is reversed, as of
 * several entries a map keeps the last.
 */
const answeredBy = new Map(
  operations
    .map((one) => [jsonOf(successOf(one).content)?.$ref, one.name] as const)
    .reverse()
    .filter((entry): entry is readonly [string, string] => entry[0] !== undefined)
)

const linkTo = (name: string): string => `[\`${name}\`](#${anchorOf(name)})`

/** The successful answer of an operation. Members that another operation answers as a whole are described there. */
export const answers = (one: Addressed): ReadonlyArray<string> => {
  const { content, statuses } = successOf(one)
  const schema = jsonOf(content)
  const types = Object.entries(content).map(([type, { schema: sent }]) =>
    type === "application/json" || !sent.description ? `\`${type}\`` : `\`${type}\` (${sent.description})`
  )
  const plain = types.length === 0 || (schema !== undefined && types.length === 1)
  const said = `Answers ${statuses.join(" or ")}${plain ? "" : ` as ${types.join(", ")}`}`
  if (schema === undefined) return [`${said}.`, ""]
  const home = answeredBy.get(schema.$ref ?? "")
  if (home !== undefined && home !== one.name) return [`${said}, with the members that ${linkTo(home)} answers.`, ""]
  const describedAt = (component: string) => answeredBy.get(component)
  return [
    `${said}:`,
    "",
    ...table(
      ["Member", "Value", "Meaning"],
      rowsOf(
        resolved(schema),
        (member, _, known) => [
          valueOf(member),
          known === undefined ? descriptionOf(member) : `${descriptionOf(member)}. Its members: ${linkTo(known)}`
        ],
        describedAt
      )
    )
  ]
}

/** The members of an object, by its JSON schema. */
export const members = (schema: JsonSchema): ReadonlyArray<string> =>
  table(
    ["Member", "Value", "Meaning"],
    rowsOf(schema, (member) => [valueOf(member), descriptionOf(member)])
  )
