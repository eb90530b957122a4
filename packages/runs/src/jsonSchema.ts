/** The forms that agents ask their inputs to have, and questions their answers. */
import { JsonSchema, Result, Schema, SchemaRepresentation } from "effect"
import { isCheapToCheck } from "./schemaCost.ts"

const isRecord = (value: Schema.Json): value is { readonly [name: string]: Schema.Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * What checking a value comes to; undefined where that cannot be done. Patterns are left out: one that somebody wrote could
 * keep this process busy for ever.
 */
const check = (
  schema: JsonSchema.JsonSchema,
  value: Schema.Json
): Result.Result<unknown, Schema.SchemaError> | undefined => {
  try {
    const document = JsonSchema.fromSchemaDraft2020_12(schema)
    const imported = SchemaRepresentation.fromJsonSchemaDocument(document, { patterns: "ignore" })
    return Schema.decodeUnknownResult(imported as Schema.Codec<unknown>)(value)
  } catch {
    return undefined
  }
}

/** Longest description of a difference, in characters. */
const DETAIL_LENGTH_MAX = 500

const describe = ({ message }: Schema.SchemaError): string => message.split("\n").join(" ").slice(0, DETAIL_LENGTH_MAX)

/**
 * How a value differs from a JSON Schema (2020-12); undefined where it does not, where the schema is no object, and where it
 * uses what cannot be checked here: `not`, `if`, references to elsewhere, and what would take too long (`isCheapToCheck`).
 * `pattern` is not checked.
 */
export const mismatchOf = (schema: Schema.Json, value: Schema.Json): string | undefined => {
  if (!isRecord(schema) || !isCheapToCheck(schema)) return undefined
  const checked = check(schema as JsonSchema.JsonSchema, value)
  return checked !== undefined && Result.isFailure(checked) ? describe(checked.failure) : undefined
}

/**
 * How the data of a reply differs from the schema in the member `schema` of the question's interrupt; undefined where it does
 * not, and where nothing is asked for or given.
 */
export const interruptMismatchOf = (interrupt: Schema.Json, data: Schema.Json | undefined): string | undefined =>
  data === undefined || !isRecord(interrupt) ? undefined : mismatchOf(interrupt["schema"] ?? null, data)
