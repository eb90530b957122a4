import { Egress, type ExchangeAnswer, SecretBox } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { type AttemptOutcome, EXCERPT_BYTES_MAX } from "../Delivery.ts"
import { liveSecrets, secretPlace } from "../Endpoint.ts"
import type { SendableDelivery } from "../ports/DeliveryStore.ts"
import { parseRetryAfter } from "../RetrySchedule.ts"
import { deliveryHeaders } from "../Signature.ts"

/** One exchange lasts at most this long, from the name look-up to the last byte of the answer. */
export const EXCHANGE_MILLIS_MAX = 15_000

/** How much of an answer is read, decompressed. */
export const ANSWER_BYTES_MAX = 64 * 1024

const parseHttpDate = (text: string) => {
  const parsed = DateTime.make(text)
  return parsed._tag === "Some" ? DateTime.toEpochMillis(parsed.value) : Number.NaN
}

const decoder = new TextDecoder()
const encoder = new TextEncoder()

/** The start of an answer as text: cut between characters, and without the NUL that Postgres refuses in text. */
export const excerptOf = ({ body }: ExchangeAnswer): string => {
  if (body.length === 0) return ""
  const decoded =
    body.length > EXCERPT_BYTES_MAX
      ? new TextDecoder().decode(body.subarray(0, EXCERPT_BYTES_MAX), { stream: true })
      : decoder.decode(body)
  const text = decoded.includes("\u0000") ? decoded.replaceAll("\u0000", "\uFFFD") : decoded
  // As many characters as bytes, none of them put in: it is all ASCII, and short enough.
  if (text.length === body.length && !text.includes("\uFFFD")) return text
  // A byte that is no UTF-8 becomes three, so the text is measured again.
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(EXCERPT_BYTES_MAX)).read)
}

const unanswered = (
  attemptedAt: DateTime.Utc,
  error: string,
  remoteIp: string | null,
  durationMillis: number
): AttemptOutcome => ({
  attemptedAt,
  durationMillis: Math.round(durationMillis),
  responseCode: null,
  error,
  responseExcerpt: null,
  remoteIp,
  retryAfterSeconds: undefined
})

/**
 * Sends one delivery, signed, and says what came of it. Never fails: a failed exchange is an outcome, and so is a secret
 * that cannot be opened, for instance because its key-encryption key is missing here. Without a span of its own: this is
 * done for every delivery, and the span would cost as much as the signature.
 */
export const attemptDelivery = Effect.fnUntraced(function* (
  { body, delivery, endpoint }: SendableDelivery,
  options: { readonly headerPrefix: string }
) {
  const egress = yield* Egress
  const box = yield* SecretBox
  const attemptedAt = yield* DateTime.now
  const millis = DateTime.toEpochMillis(attemptedAt)
  if (body === null) return unanswered(attemptedAt, "event_missing: The event is not kept any more", null, 0)
  const place = secretPlace(endpoint.id)
  const opened = yield* Effect.result(
    Effect.forEach(liveSecrets(endpoint, attemptedAt), (sealed) => box.open(place, sealed))
  )
  if (opened._tag === "Failure") {
    yield* Effect.logError(`The signing secret of endpoint ${endpoint.id} cannot be opened`, opened.failure)
    return unanswered(attemptedAt, "secret_unreadable: The signing secret cannot be opened", null, 0)
  }
  const headers = yield* deliveryHeaders({
    secrets: opened.success,
    timestampSeconds: Math.floor(millis / 1000),
    eventId: delivery.eventId,
    eventType: delivery.eventType,
    body,
    headerPrefix: options.headerPrefix
  })
  return yield* egress
    .exchange({
      method: "POST",
      url: endpoint.url,
      headers,
      body,
      deadlineMillis: EXCHANGE_MILLIS_MAX,
      readBytesMax: ANSWER_BYTES_MAX
    })
    .pipe(
      Effect.match({
        onSuccess: (answer): AttemptOutcome => ({
          attemptedAt,
          durationMillis: Math.round(answer.durationMillis),
          responseCode: answer.status,
          error: null,
          responseExcerpt: excerptOf(answer),
          remoteIp: answer.remoteAddress,
          retryAfterSeconds: parseRetryAfter(answer.headers["retry-after"], millis, parseHttpDate)
        }),
        onFailure: (failed) =>
          unanswered(attemptedAt, `${failed.reason}: ${failed.detail}`, failed.remoteAddress, failed.durationMillis)
      })
    )
})
