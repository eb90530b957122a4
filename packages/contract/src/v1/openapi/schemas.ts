/** The components of the document, as generators of clients want them. */
import { Schema } from "effect"
import { FORMS } from "../formats.ts"
import { type Json, withSentence } from "./shapes.ts"

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** The bounds of every whole number, which say nothing. */
const isBoundless = (name: string, value: unknown): boolean =>
  (name === "minimum" && value === Number.MIN_SAFE_INTEGER) || (name === "maximum" && value === Number.MAX_SAFE_INTEGER)

/** A member whose description says its default. */
const tidyMember = ({ default: fallback, description, ...schema }: Json): Json => {
  const said = description as string | undefined
  const text = fallback === undefined ? said : withSentence(said, `\`${JSON.stringify(fallback)}\` when missing.`)
  return { ...schema, ...(text === undefined ? {} : { description: text }) }
}

/** The schema without an `anyOf` of a single choice, and without an `allOf` that adds nothing but a description. */
const flat = ({ allOf, anyOf, ...rest }: Json): Json => {
  const only = Array.isArray(anyOf) && anyOf.length === 1 ? (anyOf[0] as Json) : undefined
  const added = Array.isArray(allOf) && allOf.length === 1 ? (allOf[0] as Json) : undefined
  const isDescription = added !== undefined && Object.keys(added).join() === "description"
  return {
    ...only,
    ...rest,
    ...(anyOf === undefined || only !== undefined ? {} : { anyOf }),
    ...(allOf === undefined ? {} : isDescription ? added : { allOf })
  }
}

/** The schema with a pattern in the place of a format that JSON Schema does not have. */
const patterned = ({ format, ...rest }: Json): Json => {
  const pattern = typeof format === "string" ? FORMS[format] : undefined
  return pattern !== undefined ? { ...rest, pattern } : format === undefined ? rest : { ...rest, format }
}

/**
 * The schema without what misleads generators: the bounds of every whole number, a choice of one, and `default`, by which they take a
 * member of a body to be required: the description says it instead. `additionalProperties` stays only where it forbids or bounds them.
 */
export const tidy = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidy)
  if (!isObject(value)) return value
  const { additionalProperties, ...flattened } = patterned(flat(value))
  const whole =
    additionalProperties === undefined || additionalProperties === true
      ? flattened
      : { ...flattened, additionalProperties }
  const entries = Object.entries(whole).filter(([name, inner]) => !isBoundless(name, inner))
  return Object.fromEntries(
    entries.map(([name, inner]) => {
      if (name === "examples") return [name, inner]
      if (name !== "properties" || !isObject(inner)) return [name, tidy(inner)]
      const members = Object.entries(inner).map(([member, schema]) => [member, tidyMember(tidy(schema) as Json)])
      return [name, Object.fromEntries(members)]
    })
  )
}

const typeOf = (schema: Json | undefined): string | undefined => {
  const { enum: words } = (((schema?.["properties"] ?? {}) as Json)["type"] ?? {}) as {
    readonly enum?: ReadonlyArray<string>
  }
  return words?.length === 1 ? words[0] : undefined
}

/** The schemas with each choice of components that differ by their `type` as a union that says so. */
export const discriminated = (schemas: Readonly<Record<string, Json>>): unknown => {
  const nameOf = (one: unknown): string | undefined => {
    const reference = isObject(one) ? one["$ref"] : undefined
    return typeof reference === "string" ? reference.split("/").at(-1) : undefined
  }
  const look = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(look)
    if (!isObject(value)) return value
    const { anyOf, ...rest } = value
    const names = Array.isArray(anyOf) ? anyOf.map(nameOf) : []
    const types = names.map((name) => (name === undefined ? undefined : typeOf(schemas[name])))
    if (types.length < 2 || types.includes(undefined) || new Set(types).size < types.length) {
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, name === "examples" ? inner : look(inner)])
      )
    }
    const mapping = Object.fromEntries(types.map((type, place) => [type, `#/components/schemas/${names[place]}`]))
    return { ...rest, oneOf: anyOf, discriminator: { propertyName: "type", mapping } }
  }
  return look(schemas)
}

const isRequestBody = (name: string): boolean => /^New|(Change|Rotation|Cancel)$/.test(name)

/** Answers may gain members in later versions, so only bodies that are taken in are closed. */
export const open = ([name, schema]: [string, Json]): [string, Json] => {
  if (isRequestBody(name)) return [name, schema]
  const { additionalProperties, ...rest } = schema
  return [name, additionalProperties === false ? rest : schema]
}

/** The schema of what is in the document alone, without references to others. */
export const schemaOf = (schema: Schema.Constraint): Json => {
  const { definitions, schema: made } = Schema.toJsonSchemaDocument(schema)
  if (Object.keys(definitions).length > 0) throw new Error("The data of an event refers to other schemas")
  return open(["", tidy(made) as Json])[1]
}
