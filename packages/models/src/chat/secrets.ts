/** What keeps secrets out of the log and out of what a model is told. */
import { redact, redactText } from "@agent-platform/runs"
import type { Schema } from "effect"

/** Blacks out secrets that are known by their value, and those that their form gives away. */
export interface Blackout {
  readonly text: (text: string) => string
  readonly json: (value: Schema.Json) => Schema.Json
  /** The known ones alone: what a tool says may hold something that only looks like a secret. */
  readonly known: (text: string) => string
  /** The known ones in every text of a value. */
  readonly knownIn: (value: Schema.Json) => Schema.Json
}

/** Shorter values are not looked for: they stand in any text by chance. */
const KNOWN_LENGTH_MIN = 8

/** A blackout that knows these values. */
export const makeBlackout = (secrets: ReadonlyArray<string>): Blackout => {
  const values = [...new Set(secrets.flatMap((one) => [one, one.replace(/^\S+\s+/, "")]))]
    .filter((value) => value.length >= KNOWN_LENGTH_MIN)
    .sort((one, two) => two.length - one.length)
  const known = (text: string) => values.reduce((rest, value) => rest.replaceAll(value, "[redacted: secret]"), text)
  const text = (given: string) => redactText(known(given)).text
  const knownIn = (value: Schema.Json): Schema.Json => {
    if (typeof value === "string") return known(value)
    if (Array.isArray(value)) return value.map(knownIn)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [known(name), knownIn(member)]))
  }
  return { text, known, knownIn, json: (value) => redact(knownIn(value)).value }
}
