/** Checks of inputs that several doors have. */
import { PAGE_LIMIT_MAX, parseId, Uuid } from "@agent-platform/kernel"
import { DateTime } from "effect"
import { EmbedError } from "./EmbedError.ts"

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
