/** The forms of single values on the wire, with their bounds, stated once for every group. */
import { ACTOR_TYPES } from "@agent-platform/feeds"
import { redactCredentials } from "@agent-platform/runs"
import { DateTime, Effect, Schema, SchemaGetter, SchemaIssue } from "effect"
import { HttpApiSchema } from "effect/http-api"

const TIMESTAMP =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/

/** The moments that every store and every reader of ISO 8601 can hold: from 1970 to the end of the year 9999, in UTC. */
const EARLIEST_MILLIS = 0
const LATEST_MILLIS = Date.UTC(10_000, 0) - 1

const isTimestamp = (text: string): boolean => {
  const found = TIMESTAMP.exec(text)
  if (found === null) return false
  const [, year, month, day] = found
  if (Number(day) > new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()) return false
  // By the moment and not by the text: an offset can carry it past either end.
  const millis = Date.parse(text)
  return millis >= EARLIEST_MILLIS && millis <= LATEST_MILLIS
}

/** Text that is given out; no bounds are promised. */
export const text = (description: string) => Schema.String.annotate({ description })

/** Text that is given out, or null. */
export const nullableText = (description: string) => Schema.NullOr(Schema.String).annotate({ description })

/** The forms of text that JSON Schema has no format for: they are `format` in code, and `pattern` in the document. */
export const FORMS: Readonly<Record<string, string>> = {
  usd: "^-?[0-9]+\\.[0-9]{2,12}$",
  month: "^[0-9]{4}-[0-9]{2}$",
  sha256: "^[0-9a-f]{64}$",
  fingerprint: "^[0-9a-f]{16}$",
  action: "^[a-z_]+(\\.[a-z_]+)+$",
  pointer: "^(/.*)?$"
}

/** Text that is given out in a format of JSON Schema, or in one of `FORMS`. */
export const formed = (format: string, description: string) => Schema.String.annotate({ description, format })

/** An address that is given out. */
export const uri = (description: string) => formed("uri", description)

/** An address that is given out, or null. */
export const nullableUri = (description: string) => Schema.NullOr(uri("An address")).annotate({ description })

/** An object that is given out, or null. It was parsed from text, so it is not checked again. */
export const nullableObject = (description: string) =>
  Schema.NullOr(Schema.Record(Schema.String, JsonOut)).annotate({ description })

/** An id. A malformed one is answered like an unknown one, so the form is documented and not checked. */
export const id = (description: string) => Schema.String.annotate({ description, format: "uuid" })

/** An id that is given out, or null. */
export const nullableId = (description: string) => Schema.NullOr(id("A UUID")).annotate({ description })

/** Yes or no. */
export const flag = (description: string) => Schema.Boolean.annotate({ description })

/** A whole number that is given out; no bounds are promised. */
export const count = (description: string) => Schema.Int.annotate({ description })

/** A stream of events whose data is text. */
export const textStream = () =>
  HttpApiSchema.StreamSse({
    events: Schema.Struct({ id: Schema.optionalKey(Schema.String), event: Schema.String, data: Schema.String })
  })

/** The members of a page, whose list is described by its order. */
export const pageFields = <S extends Schema.Top>(item: S, order = "Newest first") => ({
  items: Schema.Array(item).annotate({ description: order }),
  nextCursor: nullableText("For the next page; null at the end")
})

/** The members of an actor: the person, key or system behind an act. */
export const actorFields = {
  type: Schema.Literals(ACTOR_TYPES).annotate({ description: "Kind of actor" }),
  id: text("The actor's id"),
  label: text("The actor's name at the time")
}

/**
 * A moment from 1970 to 9999. Given out in UTC with `Z` and milliseconds; taken in with any offset, which it must have. A day that its
 * month does not have is refused.
 */
export const time = (description: string) =>
  Schema.String.annotate({ description, format: "date-time", examples: ["2026-11-21T05:15:00.123Z"] })
    .check(
      Schema.makeFilter(isTimestamp, {
        message: "must be a date and time with an offset, from 1970 to 9999, such as 2026-11-21T05:15:00.123Z"
      })
    )
    .pipe(
      Schema.decodeTo(Schema.DateTimeUtc, {
        decode: SchemaGetter.transform((value: string) => DateTime.makeUnsafe(value)),
        encode: SchemaGetter.transform((value: DateTime.Utc) => DateTime.formatIso(value))
      })
    )

/**
 * How the document states a check: by a fragment of JSON Schema that refuses nothing that the check admits. It may admit more, which
 * `true` tells Effect.
 */
export const documentedAs = (fragment: Record<string, unknown>) => (): [Record<string, unknown>, true] => [
  fragment,
  true
]

/** Whether every store can hold the text. */
export const isStorable = (value: string): boolean => value.isWellFormed() && !value.includes("\u0000")

/**
 * Text that is taken in: `minimum` to `maximum` characters without NUL and without halves of surrogate pairs. The document says the
 * same bounds: by itself the check halves the lower one there, because a character of JSON Schema can be two of UTF-16.
 */
export const bounded = (description: string, minimum: number, maximum: number) =>
  Schema.String.annotate({ description }).check(
    Schema.isBetweenLength(minimum, maximum, {
      message: `must have ${minimum} to ${maximum} characters`,
      toJsonSchema: documentedAs({ minLength: minimum, maxLength: maximum })
    }),
    Schema.makeFilter(isStorable, { message: "must not contain NUL or unpaired surrogates" })
  )

/** The longest name that a person gives to something. */
export const NAME_LENGTH_MAX = 100

/** Whether a name may be shown for ever: one that holds an API key or a model provider's may not. */
export const isShowable = (value: string): boolean => redactCredentials(value).found.size === 0

/** A name: 1 to 100 characters on one line, not only spaces, and no credential. One of a wrong length has that fault alone. */
export const name = (description: string) =>
  bounded(description, 1, NAME_LENGTH_MAX).check(
    Schema.makeFilter((value: string) => value === "" || (value.trim() !== "" && !/\p{Cc}/u.test(value)), {
      message: "must be one line and not only spaces"
    }),
    Schema.makeFilter((value: string) => value.length > NAME_LENGTH_MAX || isShowable(value), {
      message: "must not hold a credential: names are shown"
    })
  )

/** A whole number within bounds. */
export const integer = (description: string, minimum: number, maximum: number) => {
  const message = `must be a whole number from ${minimum} to ${maximum}`
  return Schema.Number.annotate({ description }).check(
    Schema.isInt({ message }),
    Schema.isBetween({ minimum, maximum }, { message })
  )
}

/** A value that is taken as given when the member is missing. */
export const orElse = <S extends Schema.Top>(schema: S, value: S["Encoded"]) =>
  schema.pipe(Schema.withDecodingDefaultKey<S>(Effect.succeed(value)))

/** A member that may be missing or null, which mean the same. */
export const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** Money in USD that is given out: a decimal without an exponent, 2 to 12 decimals. */
export const usd = (description: string) =>
  Schema.String.annotate({ description, format: "usd", examples: ["0.00027", "12.50"] })

const AMOUNT = 'must be a decimal as a string, such as "12.50"'

/** Money in USD that is taken in: up to 12 digits, then up to 12 decimals. */
export const usdAmount = (description: string) =>
  Schema.String.annotate({ description, examples: ["12.50"], message: AMOUNT }).check(
    Schema.isPattern(/^\d{1,12}(\.\d{1,12})?$/u, { message: AMOUNT })
  )

/** Most pairs of a metadata object. */
export const METADATA_PAIRS_MAX = 16

/** The longest name in a metadata object, in characters. */
export const METADATA_NAME_LENGTH_MAX = 64

/** The longest value in a metadata object, in characters. */
export const METADATA_VALUE_LENGTH_MAX = 500

const nameFaults = (pairs: Readonly<Record<string, unknown>>) =>
  Object.keys(pairs).flatMap((name) => {
    if (name.length < 1 || name.length > METADATA_NAME_LENGTH_MAX || !isStorable(name)) {
      return [{ path: [name], issue: `must have a name of 1 to ${METADATA_NAME_LENGTH_MAX} characters` }]
    }
    return isShowable(name) ? [] : [{ path: [name], issue: "must not have a credential as its name" }]
  })

/** At most so many pairs, each with a name of 1 to 64 characters. */
export const namedPairs = <Value extends Schema.Top>(value: Value, maximum: number, counted = "pairs") =>
  Schema.Record(Schema.String, value).check(
    Schema.isMaxProperties(maximum, { message: `must have at most ${maximum} ${counted}` }),
    Schema.makeFilter(nameFaults, {
      toJsonSchema: documentedAs({ propertyNames: { minLength: 1, maxLength: METADATA_NAME_LENGTH_MAX } })
    })
  )

/** Up to 16 pairs of text that the caller keeps beside a resource: names to 64 characters, values to 500. */
export const metadata = namedPairs(
  bounded("Up to 500 characters", 0, METADATA_VALUE_LENGTH_MAX),
  METADATA_PAIRS_MAX
).annotate({
  description: "Up to 16 pairs of the caller's own: names of 1 to 64 characters, values of up to 500",
  examples: [{ customer: "42" }]
})

/** The metadata of a resource as it is given out. */
export const metadataOut = Schema.Record(Schema.String, Schema.String).annotate({
  description: "The caller's own pairs"
})

/** More values than any body holds: a value that holds itself has no end. */
const VALUES_MAX = 1024 * 1024

const isLeaf = (value: unknown): boolean =>
  value === null ||
  typeof value === "string" ||
  typeof value === "boolean" ||
  (typeof value === "number" && Number.isFinite(value))

const isJson = (value: unknown): value is Schema.Json => {
  const rest = [value]
  for (let looked = 0; rest.length > 0; looked++) {
    const one = rest.pop()
    if (typeof one === "object" && one !== null && looked < VALUES_MAX) {
      for (const inner of Array.isArray(one) ? one : Object.values(one)) rest.push(inner)
    } else if (!isLeaf(one)) return false
  }
  return true
}

/** JSON that is taken in. `Schema.Json` says the same, and takes twenty times as long to remember each list and object. */
export const JsonIn = Schema.declare(isJson, Schema.Json.ast.annotations)

/** JSON that is given out. It was parsed from text, on either side, so it is not checked again. */
export const JsonOut = Schema.declare((value): value is Schema.Json => value !== undefined, Schema.Json.ast.annotations)

const utf8 = new TextEncoder()

/** At most so many KiB of JSON, written without spaces. */
export const kibibytes = (maximum: number) =>
  Schema.makeFilter((value: unknown) => utf8.encode(JSON.stringify(value)).length <= maximum * 1_024, {
    message: `must be at most ${maximum} KiB of JSON`
  })

/** Any JSON of at most so many KiB. */
export const json = (description: string, maximum: number) =>
  JsonIn.annotate({ description, message: "must be JSON without numbers beyond the range of a double" }).check(
    kibibytes(maximum)
  )

/** A whole number in a query parameter. Decimals, exponents and signs are refused. */
export const integerText = (minimum: number, maximum: number) =>
  Schema.String.pipe(
    Schema.decodeTo(Schema.Int, {
      decode: SchemaGetter.transformEffect((value: string) => {
        const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
        return number >= minimum && number <= maximum
          ? Effect.succeed(number)
          : Effect.fail(
              new SchemaIssue.InvalidValue({ message: `must be a whole number from ${minimum} to ${maximum}` })
            )
      }),
      encode: SchemaGetter.transform((value: number) => String(value))
    })
  )
