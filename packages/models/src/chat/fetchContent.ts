/** Files at addresses that were sent beside messages, for models that do not read them there. */
import { Egress } from "@agent-platform/kernel"
import { FILE_TYPES, IMAGE_TYPES } from "@agent-platform/runs"
import { Effect } from "effect"
import { Base64 } from "effect/encoding"
import { ChatFailed } from "./ChatFailed.ts"

/** Most bytes of one file, and how long it may take. */
const FETCHED_BYTES_MAX = 3 * 1024 * 1024
const FETCHING_MILLIS_MAX = 30_000

/**
 * How much of its content one turn may still show, in bytes of JSON, how long it may still fetch, and how often. It shrinks as it
 * is used.
 */
export interface ContentBudget {
  bytes: number
  millis: number
  fetches: number
}

/** A file, as base64. */
export interface FileData {
  readonly mediaType: string
  readonly data: string
}

const cannotRead = (url: string, why: string) =>
  new ChatFailed({ errorCode: "invalid_input", error: `${new URL(url).host} could not be read: ${why}` })

export const isText = (mediaType: string): boolean => mediaType.startsWith("text/")

/** The types that an answer may have. Servers know few types of texts by name, so one stands for another. */
const typesFor = (mediaType: string | null): ReadonlyArray<string> => {
  if (mediaType === null) return IMAGE_TYPES
  return isText(mediaType) ? FILE_TYPES.filter(isText) : [mediaType]
}

/**
 * The file at an address, over guarded egress; undefined where the budget has no room for it. All that was read is taken off the budget.
 * Fails with ChatFailed where it cannot be read, or is larger than any may be.
 */
export const fetchContent = Effect.fnUntraced(function* (url: string, mediaType: string | null, budget: ContentBudget) {
  // In base64, three bytes become four characters.
  const bytesMax = Math.min(FETCHED_BYTES_MAX, Math.floor(budget.bytes / 4) * 3)
  if (bytesMax <= 0 || budget.fetches <= 0) return undefined
  if (budget.millis <= 0) return yield* cannotRead(url, "what was sent took too long to read")
  const types = typesFor(mediaType)
  const egress = yield* Egress
  budget.fetches -= 1
  const pay = ({ durationMillis }: { readonly durationMillis: number }) =>
    Effect.sync(() => {
      budget.millis -= Math.max(1, durationMillis)
    })
  const answer = yield* egress
    .send({
      purpose: "content",
      method: "GET",
      url,
      headers: { accept: types.join(", ") },
      body: null,
      deadlineMillis: Math.min(FETCHING_MILLIS_MAX, budget.millis),
      // One byte more tells a file that is too large.
      readBytesMax: bytesMax + 1
    })
    .pipe(
      Effect.tap(pay),
      Effect.tapError(pay),
      Effect.mapError(({ detail }) => cannotRead(url, detail))
    )
  budget.bytes -= Math.ceil(answer.body.length / 3) * 4
  if (answer.status !== 200) return yield* cannotRead(url, `it answered ${answer.status}`)
  const said = answer.headers["content-type"]?.split(";")[0]?.trim().toLowerCase()
  const found = types.find((type) => type === said)
  if (found === undefined) return yield* cannotRead(url, `its content type is not ${types.join(" or ")}`)
  if (answer.body.length <= bytesMax) {
    return { mediaType: mediaType ?? found, data: Base64.encode(answer.body) } satisfies FileData
  }
  if (bytesMax === FETCHED_BYTES_MAX) return yield* cannotRead(url, `it is larger than ${FETCHED_BYTES_MAX} bytes`)
  return undefined
})
