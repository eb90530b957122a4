import { Egress, type ExchangeAnswer, type ExchangeFailed } from "@agent-platform/kernel"
import { Cause, DateTime, Effect, Exit, type Redacted, Result } from "effect"
import { type AttemptOutcome, EXCERPT_BYTES_MAX } from "../Delivery.ts"
import type { EndpointSecrets } from "../EndpointSecrets.ts"
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

const outcomeOf = (
  attemptedAt: DateTime.Utc,
  exit: Exit.Exit<ExchangeAnswer, ExchangeFailed>
): Exit.Exit<AttemptOutcome> => {
  if (Exit.isSuccess(exit)) {
    const { value: answer } = exit
    return Exit.succeed({
      attemptedAt,
      durationMillis: Math.round(answer.durationMillis),
      responseCode: answer.status,
      error: null,
      responseExcerpt: excerptOf(answer),
      remoteIp: answer.remoteAddress,
      retryAfterSeconds: parseRetryAfter(
        answer.headers["retry-after"],
        DateTime.toEpochMillis(attemptedAt),
        parseHttpDate
      )
    })
  }
  const found = Cause.findError(exit.cause)
  if (Result.isFailure(found)) return Exit.failCause(found.failure)
  const { detail, durationMillis, reason, remoteAddress } = found.success
  return Exit.succeed(unanswered(attemptedAt, `${reason}: ${detail}`, remoteAddress, durationMillis))
}

/** How an attempt is made. */
export interface AttemptOptions {
  readonly headerPrefix: string
  readonly secrets: EndpointSecrets
}

/** One attempt of a delivery. */
export interface BegunAttempt {
  readonly sent: SendableDelivery
  readonly attemptedAt: DateTime.Utc
  /** The secrets that sign; undefined when they have to be opened first. */
  readonly signing: ReadonlyArray<Redacted.Redacted> | undefined
  /** Is told once what came of it, possibly before the attempt has begun. */
  readonly ended: (outcome: Exit.Exit<AttemptOutcome>) => void
}

/**
 * Signs one delivery and begins to send it; done when the exchange has begun. A failed exchange is an outcome, and so is a
 * secret that cannot be opened, for instance because its key-encryption key is missing here; only a defect of the exchange
 * is none. Without a span of its own, and without an effect for what is known already: this is done for every delivery,
 * and each would cost as much as the signature.
 */
export const attemptDelivery = Effect.fnUntraced(function* (
  attempt: BegunAttempt,
  { headerPrefix, secrets }: AttemptOptions
) {
  const { attemptedAt, ended, sent } = attempt
  const { body, delivery, endpoint } = sent
  const unsent = (error: string) => ended(Exit.succeed(unanswered(attemptedAt, error, null, 0)))
  if (body === null) return unsent("event_missing: The event is not kept any more")
  let { signing } = attempt
  if (signing === undefined) {
    const opened = yield* Effect.result(secrets.open(endpoint, attemptedAt))
    if (Result.isFailure(opened)) {
      yield* Effect.logError(`The signing secret of endpoint ${endpoint.id} cannot be opened`, opened.failure)
      return unsent("secret_unreadable: The signing secret cannot be opened")
    }
    signing = opened.success
  }
  const headers = yield* deliveryHeaders({
    secrets: signing,
    timestampSeconds: Math.floor(DateTime.toEpochMillis(attemptedAt) / 1000),
    eventId: delivery.eventId,
    eventType: delivery.eventType,
    body,
    headerPrefix
  })
  const egress = yield* Egress
  yield* egress.begin(
    {
      method: "POST",
      url: endpoint.url,
      headers,
      body,
      deadlineMillis: EXCHANGE_MILLIS_MAX,
      readBytesMax: ANSWER_BYTES_MAX
    },
    (exit) => ended(outcomeOf(attemptedAt, exit))
  )
})
