/** Checks of inputs that several doors have. */
import { PAGE_LIMIT_MAX, parseId, Uuid } from "@agent-platform/kernel"
import { DateTime } from "effect"
import { EmbedError } from "./EmbedError.ts"
import { unkept } from "./tenant.ts"

export const invalid = (what: string) => new EmbedError("input_invalid", what)

/** A page of a list, newest first. `after` is the `next` of the page before. */
export interface PageOf {
  readonly limit?: number | undefined
  readonly after?: string | undefined
}

export const readPage = ({ after, limit = PAGE_LIMIT_MAX }: PageOf) => {
  if (!Number.isInteger(limit) || limit < 1 || limit > PAGE_LIMIT_MAX) {
    throw invalid(`limit is a whole number of 1 to ${PAGE_LIMIT_MAX}`)
  }
  if (after !== undefined && parseId(Uuid, after) === undefined) {
    throw invalid("after is the next of the page before")
  }
  return { limit, before: after }
}

export const readGrace = (seconds: number, max: number): number => {
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= max) return seconds
  throw invalid(`graceSeconds is a whole number of 0 to ${max}`)
}

/** Times that ids can have. */
const YEARS = { from: Date.UTC(1970, 0), to: Date.UTC(9999, 0) }

export const readDate = (name: string, at: Date): DateTime.Utc => {
  const millis = at instanceof Date ? at.getTime() : Number.NaN
  if (millis >= YEARS.from && millis < YEARS.to) return DateTime.makeUnsafe(millis)
  throw invalid(`${name} is a Date`)
}

const isWhole = (value: number, min: number, max: number) => Number.isInteger(value) && value >= min && value <= max

/** A whole number of a range. */
export const readWhole = (name: string, value: number, min: number, max: number): number => {
  if (isWhole(value, min, max)) return value
  throw invalid(`${name} is a whole number of ${min} to ${max}`)
}

/** The same of an option. */
export const wholeOption = (name: string, value: number, min: number, max: number): number => {
  if (isWhole(value, min, max)) return value
  throw new EmbedError("option_invalid", `${name} is a whole number of ${min} to ${max}: ${value} is not`)
}

/** A text of so many characters that Postgres can keep. */
export const readText = (name: string, value: unknown, min: number, max: number): string => {
  if (typeof value !== "string" || value.length < min || value.length > max) {
    throw invalid(`${name} is a text of ${min} to ${max} characters`)
  }
  const why = unkept(value)
  if (why === undefined) return value
  throw invalid(`${name} ${why}`)
}

const PAIRS_MAX = 16
const PAIR_NAME_LENGTH_MAX = 64
const PAIR_VALUE_LENGTH_MAX = 500

export const readMetadata = (metadata: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const isObject = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata)
  if (!isObject || Object.keys(metadata).length > PAIRS_MAX) {
    throw invalid(`metadata is an object of at most ${PAIRS_MAX} texts`)
  }
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [
      readText("A name in metadata", name, 1, PAIR_NAME_LENGTH_MAX),
      readText("A value in metadata", value, 0, PAIR_VALUE_LENGTH_MAX)
    ])
  )
}
