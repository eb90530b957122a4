/** The components of the document, as generators of clients want them. */
import { type Json, withSentence } from "./shapes.ts"

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** The bounds of every whole number, which say nothing. */
const isBoundless = (name: string, value: unknown): boolean =>
  (name === "minimum" && value === Number.MIN_SAFE_INTEGER) || (name === "maximum" && value === Number.MAX_SAFE_INTEGER)

const tidyMember = ({ default: fallback, description, ...schema }: Json): Json => {
  const said = description as string | undefined
  const text = fallback === undefined ? said : withSentence(said, `\`${JSON.stringify(fallback)}\` when missing.`)
  return { ...schema, ...(text === undefined ? {} : { description: text }) }
}

/**
 * The schema without what misleads: bounds of every number, a choice of one, and `default`, for which generators take a member
 * of a body to be required. Its description says it instead.
 */
export const tidy = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidy)
  if (!isObject(value)) return value
  const { anyOf, ...rest } = value
  const only = Array.isArray(anyOf) && anyOf.length === 1 ? (anyOf[0] as Json) : undefined
  const whole = only === undefined ? value : { ...only, ...rest }
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

const isRequestBody = (name: string): boolean => /^New|(Change|Rotation|Cancel)$/.test(name)

/** Answers may gain members in later versions, so only bodies that are taken in are closed. */
export const open = ([name, schema]: [string, Json]): [string, Json] => {
  if (isRequestBody(name)) return [name, schema]
  const { additionalProperties, ...rest } = schema
  return [name, additionalProperties === false ? rest : schema]
}
