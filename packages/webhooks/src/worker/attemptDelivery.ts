import type { Egress, IncomingResponse, RequestFailed } from "@agent-platform/kernel"
import { Cause, DateTime, Exit, type Redacted, Result } from "effect"
import { type AttemptOutcome, EXCERPT_BYTES_MAX, isSuccess } from "../Delivery.ts"
import { parseRetryAfter } from "../RetrySchedule.ts"
import type { SendableDelivery } from "../SendableDelivery.ts"
import { deliveryHeaders } from "../Signature.ts"

/** One request lasts at most this long, from the name look-up to the last byte of the answer. */
export const REQUEST_MILLIS_MAX = 15_000

/** How much of an answer is read, decompressed. */
export const ANSWER_BYTES_MAX = 64 * 1024

const NOTHING_SENT = { durationMillis: 0, remoteAddress: null }

const encoder = new TextEncoder()
const decoder = new TextDecoder()
/** Written to in order to measure, and never read. */
const measured = new Uint8Array(EXCERPT_BYTES_MAX)

/** The start of an answer as text: cut between characters, and without the NUL that Postgres refuses in text. */
export const excerptOf = ({ body }: IncomingResponse): string => {
  const decoded =
    body.length > EXCERPT_BYTES_MAX
      ? new TextDecoder().decode(body.subarray(0, EXCERPT_BYTES_MAX), { stream: true })
      : decoder.decode(body)
  const text = decoded.replaceAll("\u0000", "\uFFFD")
  // A byte that is no UTF-8 becomes three, so the text is measured again.
  return text.slice(0, encoder.encodeInto(text, measured).read)
}

/** The outcome of an attempt that got no answer. By default nothing was sent, so it took no time and has no address. */
export const unanswered = (
  attemptedAt: DateTime.Utc,
  error: string,
  { durationMillis, remoteAddress }: Pick<RequestFailed, "durationMillis" | "remoteAddress"> = NOTHING_SENT
): Exit.Exit<AttemptOutcome> =>
  Exit.succeed({
    attemptedAt,
    durationMillis: Math.round(durationMillis),
    responseCode: null,
    error,
    responseExcerpt: null,
    remoteIp: remoteAddress,
    retryAfterSeconds: undefined
  })

const outcomeOf = (
  attemptedAt: DateTime.Utc,
  exit: Exit.Exit<IncomingResponse, RequestFailed>
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
      retryAfterSeconds: isSuccess(answer.status)
        ? undefined
        : parseRetryAfter(answer.headers["retry-after"], attemptedAt)
    })
  }
  const failed = Cause.findError(exit.cause)
  // A cause without an error is a defect or an interruption.
  if (Result.isFailure(failed)) return Exit.failCause(failed.failure)
  return unanswered(attemptedAt, `${failed.success.reason}: ${failed.success.detail}`, failed.success)
}

/** The same for all attempts of a worker. */
export interface AttemptParts {
  readonly egress: Pick<Egress["Service"], "begin">
  readonly headerPrefix: string
  readonly userAgent?: string | undefined
}

/** One attempt of a delivery. */
export interface BegunAttempt {
  readonly sent: SendableDelivery
  readonly attemptedAt: DateTime.Utc
  /** The secrets that sign. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  /** Called once with the outcome, possibly before `attemptDelivery` has returned. */
  readonly ended: (outcome: Exit.Exit<AttemptOutcome>) => void
}

/**
 * Signs one delivery and begins to send it. A failed request is an outcome; a defect in signing is thrown. It is a plain
 * function, since effects would cost as much for each delivery as its signature.
 */
export const attemptDelivery = (
  { egress, headerPrefix, userAgent }: AttemptParts,
  { attemptedAt, ended, secrets, sent }: BegunAttempt
): void => {
  const { body, delivery, endpoint } = sent
  if (body === null) {
    ended(unanswered(attemptedAt, "event_missing: The event is not kept any more"))
    return
  }
  const headers = deliveryHeaders({
    secrets,
    timestampSeconds: Math.floor(DateTime.toEpochMillis(attemptedAt) / 1000),
    eventId: delivery.eventId,
    eventType: delivery.eventType,
    body,
    headerPrefix,
    userAgent
  })
  egress.begin(
    {
      purpose: "webhooks",
      method: "POST",
      url: endpoint.url,
      headers,
      body,
      deadlineMillis: REQUEST_MILLIS_MAX,
      readBytesMax: ANSWER_BYTES_MAX
    },
    (exit) => ended(outcomeOf(attemptedAt, exit))
  )
}
