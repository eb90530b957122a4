/** Tables of what an operation takes and answers, from the OpenAPI document. */
import { table } from "./markdown.ts"
import { type Addressed, type JsonSchema, operations, type Parameter, resolved } from "./openApi.ts"

const DEPTH_MAX = 2

const code = (value: unknown): string => `\`${typeof value === "string" ? value : JSON.stringify(value)}\``
const count = (value: number): string => value.toLocaleString("en-US")

const rangeOf = (least: number | undefined, most: number | undefined): string => {
  if (most === undefined || most === Number.MAX_SAFE_INTEGER) return ""
  return least === undefined ? `up to ${count(most)}` : `${count(least)} to ${count(most)}`
}

/** How many there may be: none is not worth a word. */
const upTo = (least: number | undefined, most: number | undefined): string =>
  rangeOf(least === 0 ? undefined : least, most)

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

const plainValueOf = (schema: JsonSchema): string => {
  if (schema.enum !== undefined) return schema.enum.map(code).join(", ")
  if (schema.anyOf !== undefined) return schema.anyOf.map(valueOf).join("; or ")
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
        ? `${upTo(undefined, schema.maxProperties) || "any"} pairs of text`
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

/** What is said of a member, whether it stands beside the reference, or in what may also be null. */
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

/** The rows of an object's members, those of objects inside it behind them, as `endpoint.url` and `items[].date`. */
const rowsOf = (
  object: JsonSchema,
  cells: (schema: JsonSchema, required: boolean) => ReadonlyArray<string>,
  closed: ReadonlyArray<string> = [],
  prefix = "",
  depth = 0
): ReadonlyArray<ReadonlyArray<string>> =>
  membersOf(object).flatMap(([name, member, required]) => {
    const { schema } = withoutNull(member)
    const items = schema.type === "array" ? schema.items : undefined
    const inner = items === undefined ? schema : withoutNull(items).schema
    const place = `${prefix}${name}`
    const opened = depth < DEPTH_MAX && !closed.includes(name)
    const behind = `${place}${items === undefined ? "" : "[]"}.`
    const nested = opened ? rowsOf(inner, cells, closed, behind, depth + 1) : []
    return [[code(place), ...cells(member, required)], ...nested]
  })

const SHARED = new Set(["Idempotency-Key"])

const ownParameters = ({ operation }: Addressed): ReadonlyArray<Parameter> =>
  (operation.parameters ?? []).filter((one) => one.$ref === undefined && one.in !== "path" && !SHARED.has(one.name))

const jsonOf = (content: Readonly<Record<string, { readonly schema: JsonSchema }>> | undefined) =>
  content?.["application/json"]?.schema

/** Whether the operation takes anything of its own beside a page's limit and cursor. */
export const takesFields = (one: Addressed): boolean =>
  ownParameters(one).some(({ name }) => name !== "limit" && name !== "cursor") ||
  membersOf(resolved(jsonOf(one.operation.requestBody?.content) ?? {})).length > 0

const parameterRow = (parameter: Parameter): ReadonlyArray<string> => [
  parameter.in === "header" ? `header ${code(parameter.name)}` : code(parameter.name),
  valueOf(parameter.schema),
  defaultOf(parameter.schema, parameter.required ?? false),
  parameter.description ?? descriptionOf(parameter.schema)
]

const find = (name: string): Addressed => {
  const found = operations.find((one) => one.name === name)
  if (found === undefined) throw new Error(`There is no operation ${name}`)
  return found
}

/** What an operation takes: parameters first, then the members of its body. */
export const takes = (name: string): ReadonlyArray<string> => {
  const one = find(name)
  const body = jsonOf(one.operation.requestBody?.content)
  const members = rowsOf(resolved(body ?? {}), (schema, required) => [
    valueOf(schema),
    defaultOf(schema, required),
    descriptionOf(schema)
  ])
  return [
    ...table(["Parameter", "Value", "Default", "Meaning"], ownParameters(one).map(parameterRow)),
    ...table(["Member", "Value", "Default", "Meaning"], members)
  ]
}

/** The members of what an operation answers when it succeeds. What is inside of those in `closed` is left out. */
export const answers = (name: string, closed: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  const { operation } = find(name)
  const [success] = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"))
  const schema = jsonOf(success?.[1].content)
  if (schema === undefined) throw new Error(`${name} answers no JSON`)
  return table(
    ["Member", "Value", "Meaning"],
    rowsOf(resolved(schema), (member) => [valueOf(member), descriptionOf(member)], closed)
  )
}

/** The members of an object, by its JSON schema. */
export const members = (schema: JsonSchema): ReadonlyArray<string> =>
  table(
    ["Member", "Value", "Meaning"],
    rowsOf(schema, (member) => [valueOf(member), descriptionOf(member)])
  )
