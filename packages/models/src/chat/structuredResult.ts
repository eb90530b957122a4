/** The result of a run whose agent asks for a form of it. */
import { changedNumberFault, JSON_FAULTS, readJson } from "@agent-platform/kernel"
import { schemaMismatchOf } from "@agent-platform/runs"
import type { Schema } from "effect"

/** A value of the form that is asked for, or how an answer differs from one. */
export type StructuredResult =
  | { readonly _tag: "Fits"; readonly value: Schema.Json }
  | { readonly _tag: "Differs"; readonly detail: string }

/** Reads the model's last words as JSON of this schema. */
export const structuredResult = (outputSchema: Schema.JsonObject, said: string | null): StructuredResult => {
  const { changed, fault, value } = readJson(said ?? "")
  if (fault !== undefined) return { _tag: "Differs", detail: `it ${JSON_FAULTS[fault]}` }
  const json = value as Schema.Json
  const detail = changed === undefined ? schemaMismatchOf(outputSchema, json) : changedNumberFault(changed)
  return detail === undefined ? { _tag: "Fits", value: json } : { _tag: "Differs", detail }
}

/** The message that tells a model how its answer differs. */
export const repairRequest = (detail: string): string =>
  `Your answer does not have the form that was asked for: ${detail}. Answer again, with the JSON alone.`
