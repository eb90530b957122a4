/** The form that a question asks its answer to have. */
import { JsonSchema, Result, Schema, SchemaRepresentation } from "effect"

type Check = (data: Schema.Json) => Result.Result<unknown, Schema.SchemaError>

const isRecord = (value: Schema.Json): value is { readonly [name: string]: Schema.Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Patterns are left out: one that an agent wrote could keep this process busy for ever. */
const compile = (schema: JsonSchema.JsonSchema): Check | undefined => {
  try {
    const document = JsonSchema.fromSchemaDraft2020_12(schema)
    const imported = SchemaRepresentation.fromJsonSchemaDocument(document, { patterns: "ignore" })
    return Schema.decodeUnknownResult(imported as Schema.Codec<unknown>)
  } catch {
    return undefined
  }
}

/**
 * How the data of a reply differs from the JSON Schema (2020-12) in the member `schema` of the question's interrupt;
 * undefined where it does not, where nothing is asked for or given, and where the schema uses what cannot be checked here:
 * `not`, `if`, references to elsewhere. `pattern` is not checked.
 */
export const mismatchOf = (interrupt: Schema.Json, data: Schema.Json | undefined): string | undefined => {
  if (data === undefined || !isRecord(interrupt) || !isRecord(interrupt["schema"] ?? null)) return undefined
  const check = compile(interrupt["schema"] as JsonSchema.JsonSchema)
  const checked = check?.(data)
  return checked !== undefined && Result.isFailure(checked) ? checked.failure.message.split("\n").join(" ") : undefined
}
