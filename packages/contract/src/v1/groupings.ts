/** By what usage is kept apart, as a query parameter. Spec: Analytics. */
import { DIMENSIONS_MAX, metadataName, type UsageDimension } from "@agent-platform/billing"
import { Effect, Schema, SchemaGetter, SchemaIssue } from "effect"
import { isStorable, METADATA_NAME_LENGTH_MAX } from "./formats.ts"

/** The dimensions that roll-ups keep. */
const CELLS = ["model", "provider", "agent_id", "key_source"] as const

const PREFIX = "metadata."

/** The longest text of the parameter: two names of metadata and a comma. */
const LENGTH_MAX = DIMENSIONS_MAX * (PREFIX.length + METADATA_NAME_LENGTH_MAX) + 1

const isNamed = (name: string): boolean =>
  name.length > 0 && name.length <= METADATA_NAME_LENGTH_MAX && isStorable(name)

/** A dimension that is known: `isKnown` has been asked before. */
const Dimension = Schema.declare((value): value is UsageDimension => typeof value === "string")

/** The parameter for the dimensions of a reading: `cells` for those that roll-ups keep, `all` for tags and metadata of runs as well. */
export const groupings = (kind: "cells" | "all", ...more: ReadonlyArray<"workspace_id">) => {
  const fixed: ReadonlyArray<UsageDimension> = [...CELLS, ...more, ...(kind === "all" ? (["tag"] as const) : [])]
  const names = [...fixed, ...(kind === "all" ? [`${PREFIX}<key>`] : [])].join(", ")
  const isKnown = (text: string): text is UsageDimension =>
    fixed.some((one) => one === text) ||
    (kind === "all" && text.startsWith(PREFIX) && isNamed(metadataName(text as UsageDimension) ?? ""))
  const detail = `must be one of ${names}, or ${DIMENSIONS_MAX} of them with a comma, each once`
  const refused = Effect.fail(new SchemaIssue.InvalidValue({ message: detail }))
  return {
    schema: Schema.optionalKey(
      Schema.Array(Schema.String).pipe(
        Schema.decodeTo(Schema.Array(Dimension), {
          decode: SchemaGetter.transformEffect((given: ReadonlyArray<string>) => {
            if (given.join(",").length > LENGTH_MAX) return refused
            const asked = given.flatMap((text) => text.split(",")).filter((text) => text !== "")
            const known = asked.filter(isKnown)
            const isRight = known.length === asked.length && new Set(asked).size === asked.length
            return isRight && asked.length <= DIMENSIONS_MAX ? Effect.succeed(known) : refused
          }),
          encode: SchemaGetter.transform((dimensions: ReadonlyArray<string>) => [...dimensions])
        })
      )
    ),
    doc: {
      description:
        `Adds \`groups\` by this: one of ${names}, or two of them, repeated or with a comma. The dearest first` +
        (kind === "all" ? ". A key of metadata that has a comma cannot be named" : ""),
      schema: {
        type: "array",
        maxItems: DIMENSIONS_MAX,
        uniqueItems: true,
        items:
          kind === "all"
            ? {
                anyOf: [
                  { type: "string", enum: fixed },
                  { type: "string", pattern: "^metadata\\.[^,]{1,64}$" }
                ]
              }
            : { type: "string", enum: fixed }
      }
    }
  }
}
