/** Converts the issues of a schema into the faults of a request that the contract describes. */
import { type ProblemIssue, UnprocessableContent } from "@agent-platform/contract"
import type { SchemaIssue } from "effect"
import { SchemaAST } from "effect"
import type { HttpApiError } from "effect/http-api"

type Path = ReadonlyArray<PropertyKey>
type Kind = HttpApiError.HttpApiSchemaError["kind"]

interface Fault extends Omit<ProblemIssue, "pointer"> {
  readonly path: Path
}

/** The expected kind of a value, in the words of JSON. */
const expectation = (ast: SchemaAST.AST): string => {
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
        : members.join(" or ")
    }
    default:
      return "another kind of value"
  }
}

const messageIn = (annotations: unknown): string | undefined => {
  const message = (annotations as { readonly message?: unknown } | undefined)?.message
  return typeof message === "string" ? message : undefined
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
const wrongType = (ast: SchemaAST.AST, path: Path, valueAt: ValueAt): Fault => {
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
const wrongDiscriminator = (ast: SchemaAST.AST, path: Path, valueAt: ValueAt): Fault | undefined => {
  const value = valueAt(path)
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
  const [name, types] = (isObject && discriminatorOf(ast)) || []
  if (name === undefined || types === undefined) return undefined
  const place = [...path, name]
  if (valueAt(place) === undefined) return { path: place, code: "required", detail: "is required" }
  const words = types.map((type) => expectation(type))
  return {
    path: place,
    code: typeof valueAt(place) === "string" ? "invalid_value" : "invalid_type",
    detail: `must be one of ${words.join(", ")}`
  }
}

const wrongValue = (path: Path, message: string | undefined): Fault => ({
  path,
  code: "invalid_value",
  detail: message ?? "must be another value"
})

const faultsOf = (issue: SchemaIssue.Issue, path: Path, valueAt: ValueAt): ReadonlyArray<Fault> => {
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

/** The longest name that a response repeats, in characters. */
const NAME_SHOWN_MAX = 200

const shown = (key: PropertyKey): string => (String(key).length > NAME_SHOWN_MAX ? "…" : String(key))

const escape = (key: PropertyKey): string => shown(key).replaceAll("~", "~0").replaceAll("/", "~1")

const capitals = (name: string): string => name.replaceAll(/(^|-)[a-z]/g, (letters) => letters.toUpperCase())

/** The place of a fault, as responses name it. */
export const pointerOf = (kind: Kind, path: Path): string => {
  const [first = ""] = path
  if (kind === "Query") return `?${shown(first)}`
  if (kind === "Headers") return capitals(String(first))
  return path.map((key) => `/${escape(key)}`).join("")
}

const summary = (errors: ReadonlyArray<ProblemIssue>): string => {
  const [first] = errors
  if (first === undefined) return "The request breaks rules of this operation"
  if (errors.length > 1) return `The request has ${errors.length} faults: see errors`
  return `${first.pointer === "" ? "The body" : first.pointer} ${first.detail}`
}

/** The faults in `part`, a part of a request. */
export const issuesOf = (kind: Kind, issue: SchemaIssue.Issue, part: unknown): ReadonlyArray<ProblemIssue> =>
  faultsOf(issue, [], inside(part)).map(({ path, ...fault }) => ({ pointer: pointerOf(kind, path), ...fault }))

/** Most faults that a response lists; its detail counts all of them. */
const ISSUES_ANSWERED_MAX = 100

/** One problem for all faults: `unknown_parameter` if all of them are of that kind, else `validation_failed`. */
export const problemOfIssues = (errors: ReadonlyArray<ProblemIssue>): UnprocessableContent =>
  new UnprocessableContent({
    code: errors.every((error) => error.code === "unknown_parameter") ? "unknown_parameter" : "validation_failed",
    detail: summary(errors),
    errors: errors.slice(0, ISSUES_ANSWERED_MAX)
  })
