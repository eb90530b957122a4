/** Checks of inputs that several entry points have. */
import { PAGE_LIMIT_MAX, parseId, Uuid } from "@agent-platform/kernel"
import { DateTime } from "effect"
import { EmbedError, type Refusal } from "./EmbedError.ts"
import { whyNotStorable } from "./tenant.ts"

export const invalid = (what: string) => new EmbedError("input_invalid", what)

/** The same for an option. */
export const invalidOption = (what: string) => new EmbedError("option_invalid", what)

/** A page of a list, newest first. `after` is the `next` of the page before. */
export interface PageOf {
  readonly limit?: number | undefined
  readonly after?: string | undefined
}

/** Reads a page whose `after` is an id, or a text that `isPlace` accepts. */
export const readPage = (
  { after, limit = PAGE_LIMIT_MAX }: PageOf,
  isPlace = (text: string) => parseId(Uuid, text) !== undefined
) => {
  if (after !== undefined && !(typeof after === "string" && isPlace(after))) {
    throw invalid("after is the next of the page before")
  }
  return { limit: readWhole("limit", limit, 1, PAGE_LIMIT_MAX), before: after }
}

/** Reads the ids of one kind. A text that cannot be one is refused like an id that nothing has. */
export const makeIdReader =
  <Id extends string>(kind: Parameters<typeof parseId<Id>>[0], [code, message]: Refusal<string>) =>
  (text: string): Id => {
    const id = parseId(kind, text)
    if (id === undefined) throw new EmbedError(code, message)
    return id
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

/** The same for an option. */
export const wholeOption = (name: string, value: number, min: number, max: number): number => {
  if (isWhole(value, min, max)) return value
  throw invalidOption(`${name} is a whole number of ${min} to ${max}: ${value} is not`)
}

/** A text of so many characters that Postgres can keep. */
export const readText = (name: string, value: unknown, min: number, max: number): string => {
  if (typeof value !== "string" || value.length < min || value.length > max) {
    throw invalid(`${name} is a text of ${min} to ${max} characters`)
  }
  const why = whyNotStorable(value)
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
