/** Sound documents, and the same with something of any size in one place. */
import { alternativesOf, type Place, propertiesOf, type Schema } from "./contractWalk.ts"

/** Sound values by the name of their member, where a schema alone does not determine them: ids and addresses. A function makes many. */
export type Known = Readonly<Record<string, unknown>>

const knownAs = (known: Known, name: string): unknown => {
  const value = known[name]
  return typeof value === "function" ? value(0) : value
}

const exampleOf = (schema: Schema): unknown => {
  const examples = schema["examples"]
  return Array.isArray(examples) ? structuredClone(examples[0]) : undefined
}

/** The schema's example with what it lacks: required members, and known values in the place of its own. */
const soundObject = (schema: Schema, known: Known): unknown => {
  const example = exampleOf(schema) as object | undefined
  const required = (schema["required"] ?? []) as ReadonlyArray<string>
  const members = propertiesOf(schema).flatMap(([name, property]): ReadonlyArray<readonly [string, unknown]> => {
    const isRequired = required.includes(name)
    const isInExample = example !== undefined && name in example
    if (name in known) return isRequired || isInExample ? [[name, knownAs(known, name)]] : []
    return isRequired && !isInExample ? [[name, soundOf(property, known, name)]] : []
  })
  return { ...example, ...Object.fromEntries(members) }
}

/** A value that the schema admits, as small as it may be. */
export const soundOf = (given: Schema, known: Known, name = ""): unknown => {
  const [schema] = alternativesOf(given)
  if (schema === undefined) return null
  if (name in known && schema["type"] !== "array") return knownAs(known, name)
  if (schema["type"] === "object" && propertiesOf(schema).length > 0) return soundObject(schema, known)
  const example = exampleOf(schema)
  if (example !== undefined) return example
  if (Array.isArray(schema["enum"])) return schema["enum"][0]
  switch (schema["type"]) {
    case "string":
      return "text".repeat(Math.ceil(Number(schema["minLength"] ?? 1) / 4))
    case "integer":
    case "number":
      return Number(schema["minimum"] ?? 1)
    case "boolean":
      return true
    case "array":
      return [soundOf((schema["items"] ?? {}) as Schema, known, name)]
    case "object":
      return {}
    default:
      return 1
  }
}

/** Stands for what is put in its place as raw text. */
const MARK = "\u0001here\u0001"

/** A document with the mark at the end of the path. What is around it is of `base`, else made sound. */
const marked = (given: Schema, base: unknown, path: Place["path"], known: Known): unknown => {
  const [step, ...rest] = path
  if (step === undefined) return MARK
  const alternatives = alternativesOf(given)
  if (step === 0) {
    const list = alternatives.find((schema) => schema["type"] === "array")
    return [marked((list?.["items"] ?? {}) as Schema, undefined, rest, known)]
  }
  const holder = alternatives.find((schema) => propertiesOf(schema).some(([name]) => name === step))
  const map = alternatives.find((schema) => typeof schema["additionalProperties"] === "object")
  const property = (holder ? Object.fromEntries(propertiesOf(holder))[step] : map?.["additionalProperties"]) as Schema
  const around = (base ?? (holder ? soundOf(holder, known) : {})) as Readonly<Record<string, unknown>>
  return { ...around, [step]: marked(property, around[step] ?? undefined, rest, known) }
}

/**
 * A document, sound but for this place, as a function of the raw JSON text that stands there. `base` are members that it has
 * at its root beside those of the schema's example.
 */
export const documentWith = (
  schema: Schema,
  place: Place,
  known: Known,
  base: object = {}
): ((raw: string) => string) => {
  const sound = soundOf(schema, known)
  const root = typeof sound === "object" && sound !== null && !Array.isArray(sound) ? { ...sound, ...base } : sound
  const [before = "", after = ""] = JSON.stringify(marked(schema, root, place.path, known)).split(JSON.stringify(MARK))
  return (raw) => `${before}${raw}${after}`
}
