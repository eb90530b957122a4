import { Predicate } from "effect"

/** The keywords that OpenAI can hold a model to. */
const KEYWORDS = new Set(
  (
    "type properties required additionalProperties items enum const anyOf $ref $defs title description " +
    "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems pattern format"
  ).split(" ")
)

/** Most levels of a schema that are looked into; a deeper one is not strict. */
const DEPTH_MAX = 20

const isStrict = (schema: unknown, depth: number): boolean => {
  if (Array.isArray(schema)) return schema.every((one) => isStrict(one, depth + 1))
  if (!Predicate.isObject(schema)) return true
  if (depth > DEPTH_MAX || Object.keys(schema).some((keyword) => !KEYWORDS.has(keyword))) return false
  const { additionalProperties, properties, required } = schema as Readonly<Record<string, unknown>>
  if (properties !== undefined || additionalProperties !== undefined) {
    const names = Object.keys(Predicate.isObject(properties) ? properties : {})
    const demanded: ReadonlyArray<unknown> = Array.isArray(required) ? required : []
    if (additionalProperties !== false || names.some((name) => !demanded.includes(name))) return false
  }
  return Object.entries(schema).every(([keyword, inner]) =>
    keyword === "properties" || keyword === "$defs"
      ? Object.values(Predicate.isObject(inner) ? inner : {}).every((one) => isStrict(one, depth + 1))
      : keyword === "enum" || keyword === "const" || keyword === "required" || isStrict(inner, depth + 1)
  )
}

/**
 * Whether OpenAI can hold its model to the schema by force: its objects are closed, and demand each of their members. Others are
 * asked for without force, since the provider would refuse them.
 */
export const isStrictSchema = (schema: unknown): boolean =>
  Predicate.isObject(schema) &&
  (schema as Readonly<Record<string, unknown>>)["type"] === "object" &&
  isStrict(schema, 0)
