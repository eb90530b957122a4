/** The parts of a record that a person reads, the same for every format. */
import type { Schema } from "effect"
import type { RecordDocument } from "./recordDocument.ts"

/** A record, or a part of it, as JSON. */
export type Part = { readonly [name: string]: Schema.Json | undefined }

/** The member of a part as text; empty for what is null or missing. */
export const textOf = (part: Part, name: string): string => {
  const value = part[name]
  return value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value)
}

/** The member of a part as a part. */
export const partOf = (part: Part, name: string): Part => {
  const value = part[name]
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Part) : {}
}

/** The member of a part as a list of parts. */
export const partsOf = (part: Part, name: string): ReadonlyArray<Part> => {
  const value = part[name]
  return Array.isArray(value) ? (value as ReadonlyArray<Part>) : []
}

/** Longer JSON, in characters, is written on one line: indenting deep nesting could make it a hundred times as long. */
const INDENTED_LENGTH_MAX = 16 * 1024

/** The member of a part as JSON, over several lines where it is short; undefined for what is null or missing. */
export const jsonOf = (part: Part, name: string): string | undefined => {
  const value = part[name]
  if (value === null || value === undefined) return undefined
  const json = JSON.stringify(value)
  return json.length > INDENTED_LENGTH_MAX ? json : JSON.stringify(value, null, 2)
}

/** The heading of a record. */
export const titleOf = (record: Part): string =>
  `Record of a run of ${textOf(partOf(record, "agent"), "name") || "an agent"}`

/** The facts about the run, each as a name and a text; those that are not there are left out. */
export const factsOf = (record: Part): ReadonlyArray<readonly [string, string]> => {
  const run = partOf(record, "run")
  const usage = partOf(record, "usage")
  const outcome = run["paused"] === true ? "ended on a question" : textOf(run, "status")
  const facts: ReadonlyArray<readonly [string, string]> = [
    ["Run", textOf(run, "run_id")],
    ["Agent", textOf(partOf(record, "agent"), "agent_id")],
    ["Session", textOf(run, "session_id")],
    ["Outcome", outcome],
    ["Error", textOf(run, "error")],
    ["Triggered", textOf(run, "created_at")],
    ["Began", textOf(run, "started_at")],
    ["Ended", textOf(run, "finished_at")],
    ["Attempts", textOf(run, "attempt")],
    ["Cost in USD", textOf(record, "cost_usd")],
    [
      "Tokens read, written",
      record["usage"] === undefined ? "" : `${textOf(usage, "input_tokens")}, ${textOf(usage, "output_tokens")}`
    ],
    ["Record made", textOf(record, "generated_at")]
  ]
  return facts.filter(([, value]) => value !== "")
}

/** The outcome of a question, in words. */
export const answerOf = (approval: Part): string => {
  if (textOf(approval, "status") !== "answered") return textOf(approval, "status")
  const answer = partOf(approval, "answer")
  return `answered ${textOf(answer, "answered_at")}: ${textOf(answer, "message")}`
}

/** A note for the reader: how many secrets were redacted, and which lists are cut. */
export const noteOf = ({ head, redacted }: RecordDocument): string =>
  [
    redacted === 0
      ? "Nothing was redacted."
      : `${redacted} ${redacted === 1 ? "secret was" : "secrets were"} redacted.`,
    ...(head["timeline_truncated"] === true ? ["The log is longer than the timeline."] : []),
    ...(head["messages_truncated"] === true ? ["The run has more messages than the record."] : [])
  ].join(" ")
