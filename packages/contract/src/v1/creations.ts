/** The common part of operations that create something. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** The header by which a repeated creation is recognised. */
export const idempotencyHeaders = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "1 to 255 visible characters of the caller's choice. A repetition with the same key and body within " +
        "24 hours, or while what it triggered has not ended, creates nothing: it answers what was created then, with the " +
        "header Idempotency-Replayed. Another body under the same key is refused.",
      examples: ["order-4711"]
    }).check(Schema.isPattern(/^[\x21-\x7e]{1,255}$/u, { message: "must have 1 to 255 visible ASCII characters" }))
  )
}

/** The header by which a change names the version that it is meant for. */
export const ifMatchHeaders = {
  "if-match": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "The `version` that the change is meant for, quoted or bare. At another one: 409 `version_conflict`. Missing: any",
      examples: ["3"]
    }).check(Schema.isPattern(/^(?:\d{1,9}|"\d{1,9}")$/u, { message: "must be a version such as 3" }))
  )
}

const replayed = {
  "idempotency-replayed": Schema.optionalKey(
    Schema.Literal("true").annotate({ description: "An earlier request had created it already" })
  )
}

/** 201 with what was created. */
export const created = <S extends Schema.Top>(schema: S) =>
  HttpApiSchema.WithHeaders(schema.pipe(HttpApiSchema.status(201)), replayed)

/** 202 with what was accepted, and where to find it. */
export const accepted = <S extends Schema.Top>(schema: S) =>
  HttpApiSchema.WithHeaders(schema.pipe(HttpApiSchema.status(202)), {
    location: Schema.String.annotate({ description: "Where to read it" }),
    ...replayed
  })
