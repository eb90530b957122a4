/** Says in words where a value does not fit a schema, for people who sent it. */
import { SchemaAST, type SchemaIssue } from "effect"

type Path = ReadonlyArray<PropertyKey>

/** One place in a value that does not fit. */
export interface SchemaFault {
  readonly path: Path
  readonly code: "required" | "unknown_parameter" | "invalid_type" | "invalid_value"
  /** The requirement that is not met, as the end of a sentence that begins with the place. */
  readonly detail: string
}

const messageIn = (annotations: unknown): string | undefined => {
  const message = (annotations as { readonly message?: unknown } | undefined)?.message
  return typeof message === "string" ? message : undefined
}

/** The message of a schema about another kind of value, which begins so. */
const MUST_BE = "must be "

/** The expected kind of a value, in the words of its schema or else of JSON. */
const expectation = (ast: SchemaAST.AST): string => {
  const own = messageIn(ast.annotations)
  if (own?.startsWith(MUST_BE)) return own.slice(MUST_BE.length)
  const encoded = SchemaAST.toEncoded(ast)
  switch (encoded._tag) {
    case "String":
      return "a string"
    case "Number":
      return "a number"
    case "Boolean":
      return "true or false"
    case "Null":
      return "null"
    case "Objects":
      return "an object"
    case "Arrays":
      return "an array"
    case "Literal":
      return JSON.stringify(encoded.literal)
    case "Union": {
      const members = [...new Set(encoded.types.map(expectation))]
      return encoded.types.every((type) => type._tag === "Literal")
        ? `one of ${members.join(", ")}`
        : // A requirement with an example has a comma itself.
          members.join(members.some((member) => member.includes(", ")) ? ", or " : " or ")
    }
    default:
      return "another kind of value"
  }
}

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<unknown> => {
  const encoded = SchemaAST.toEncoded(ast)
  if (encoded._tag === "Literal") return [encoded.literal]
  return encoded._tag === "Union" ? encoded.types.flatMap(literalsOf) : []
}

/** Reads the value at a path in a part of a request. Only its type is used. */
type ValueAt = (path: Path) => unknown

const inside =
  (value: unknown): ValueAt =>
  (path) =>
    path.reduce<unknown>((inner, key) => (inner as Readonly<Record<PropertyKey, unknown>> | undefined)?.[key], value)

/** The fault of a value that fits no type. An unknown word in the place of a literal word has the right type and a wrong value. */
const wrongType = (ast: SchemaAST.AST, path: Path, valueAt: ValueAt): SchemaFault => {
  const type = typeof valueAt(path)
  return {
    path,
    code: literalsOf(ast).some((literal) => typeof literal === type) ? "invalid_value" : "invalid_type",
    detail: messageIn(ast.annotations) ?? `must be ${expectation(ast)}`
  }
}

/** The discriminator of a union of objects: the member that is a literal in each of them, and its literals. Undefined for none. */
const discriminatorOf = (ast: SchemaAST.AST): readonly [PropertyKey, ReadonlyArray<SchemaAST.AST>] | undefined => {
  const encoded = SchemaAST.toEncoded(ast)
  if (encoded._tag !== "Union") return undefined
  const objects = encoded.types.map((type) => SchemaAST.toEncoded(type)).filter((type) => type._tag === "Objects")
  const [first, ...others] = objects.map(({ propertySignatures }) =>
    propertySignatures.filter(({ type }) => SchemaAST.toEncoded(type)._tag === "Literal")
  )
  const name = first?.find((one) => others.every((other) => other.some((its) => its.name === one.name)))?.name
  if (name === undefined) return undefined
  return [
    name,
    objects.flatMap((one) => one.propertySignatures.flatMap((its) => (its.name === name ? [its.type] : [])))
  ]
}

/** The fault of an object that fits no object of a union: its discriminator is missing or has an unknown value. */
const wrongDiscriminator = (ast: SchemaAST.AST, path: Path, valueAt: ValueAt): SchemaFault | undefined => {
  const value = valueAt(path)
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
  const discriminator = isObject ? discriminatorOf(ast) : undefined
  if (discriminator === undefined) return undefined
  const [name, types] = discriminator
  const place = [...path, name]
  if (valueAt(place) === undefined) return { path: place, code: "required", detail: "is required" }
  const words = types.map((type) => expectation(type))
  return {
    path: place,
    code: typeof valueAt(place) === "string" ? "invalid_value" : "invalid_type",
    detail: `must be one of ${words.join(", ")}`
  }
}

const wrongValue = (path: Path, message: string | undefined): SchemaFault => ({
  path,
  code: "invalid_value",
  detail: message ?? "must be another value"
})

const faultsOf = (issue: SchemaIssue.Issue, path: Path, valueAt: ValueAt): ReadonlyArray<SchemaFault> => {
  switch (issue._tag) {
    case "Pointer":
      return faultsOf(issue.issue, [...path, ...issue.path], valueAt)
    case "Encoding":
      return faultsOf(issue.issue, path, valueAt)
    case "Filter": {
      const message = messageIn(issue.filter.annotations)
      return message === undefined ? faultsOf(issue.issue, path, valueAt) : [wrongValue(path, message)]
    }
    case "Composite":
      return issue.issues.flatMap((inner) => faultsOf(inner, path, valueAt))
    case "AnyOf": {
      // A word that is none of the union's literals is one fault. Otherwise the faults are those within the alternative whose type
      // fits. Without such an alternative the type is the fault, or the discriminator.
      const inner = issue.issues.flatMap((one) => faultsOf(one, path, valueAt))
      const own = wrongType(issue.ast, path, valueAt)
      if (own.code === "invalid_value") return [own]
      const deeper = inner.filter((fault) => fault.code !== "invalid_type" || fault.path.length > path.length)
      return deeper.length > 0 ? deeper : [wrongDiscriminator(issue.ast, path, valueAt) ?? own]
    }
    case "OneOf":
    case "InvalidType":
      return [wrongType(issue.ast, path, valueAt)]
    case "MissingKey":
      return [{ path, code: "required", detail: "is required" }]
    case "UnexpectedKey":
      return [{ path, code: "unknown_parameter", detail: "is not known here" }]
    case "InvalidValue":
    case "Forbidden":
      return [wrongValue(path, messageIn(issue.annotations))]
  }
}

/** The longest name that a fault repeats, in characters. */
const NAME_SHOWN_MAX = 200

/** A name as people may see it. */
export const shownName = (key: PropertyKey): string => (String(key).length > NAME_SHOWN_MAX ? "…" : String(key))

const escape = (key: PropertyKey): string => shownName(key).replaceAll("~", "~0").replaceAll("/", "~1")

/** A place in a value, as a JSON pointer; names that are too long are left out. */
export const shownPointer = (path: Path): string => path.map((key) => `/${escape(key)}`).join("")

/** The faults of a value that a schema was asked about. */
export const schemaFaults = (issue: SchemaIssue.Issue, value: unknown): ReadonlyArray<SchemaFault> =>
  faultsOf(issue, [], inside(value))

/** The first of them in a sentence, such as `/text is required`. */
export const schemaFaultSentence = (issue: SchemaIssue.Issue, value: unknown): string | undefined => {
  const [first] = schemaFaults(issue, value)
  return first === undefined ? undefined : `${shownPointer(first.path) || "it"} ${first.detail}`
}
