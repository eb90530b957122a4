import { makeEventReader, type ServerSentEvent } from "@agent-platform/client"
import { Data, Effect, Redacted, Schedule } from "effect"

/** The API does not let this key follow the stream; trying again would not help. */
export class ListenRefused extends Data.TaggedError("ListenRefused")<{
  readonly status: number
  readonly detail: string
}> {
  override get message() {
    return `The API answered ${this.status}: ${this.detail}`
  }
}

/** The address has a port that `fetch` refuses to call, as it is one of other protocols. */
export class PortBlocked extends Data.TaggedError("PortBlocked") {}

/** The connection failed or ended badly; it is made again. */
class Broken extends Data.TaggedError("Broken")<{ readonly why: string }> {}

/** The stream to follow, and the callbacks for its events. */
export interface FollowOptions {
  /** Where the API is, such as `http://127.0.0.1:8080`. */
  readonly api: string
  /** An organization key with the scope `webhooks:read`. */
  readonly key: Redacted.Redacted
  /** Called for each event in turn; the next one waits for it. */
  readonly onEvent: (event: ServerSentEvent) => Effect.Effect<void>
  readonly say: (line: string) => Effect.Effect<void>
}

/** After this long without a byte the connection is given up: the API sends something every 15 seconds. */
const SILENCE_SECONDS_MAX = 45

/** Reconnecting waits this long at first, twice as long after each failure in a row, and never longer than `longest`. */
const RECONNECT_SECONDS = { first: 1, longest: 10 }

const detailOf = (response: Response) =>
  Effect.promise(() => response.json().catch(() => undefined)).pipe(
    Effect.map((problem) => String((problem as { detail?: unknown } | undefined)?.detail ?? response.statusText))
  )

const whyOf = (cause: unknown): string => {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  return inner instanceof Error ? inner.message : String(inner)
}

const broken = (cause: unknown) => new Broken({ why: whyOf(cause) })

/** "bad port" is all that Node's `fetch` says of a port that it refuses. */
const requestFailed = (cause: unknown) => (whyOf(cause) === "bad port" ? new PortBlocked() : broken(cause))

/**
 * Follows the organization's events until it is interrupted. When the connection is lost it connects again, and goes on after the last
 * event that it saw, or where the stream began. Fails with ListenRefused and PortBlocked.
 */
export const followStream = Effect.fnUntraced(function* (options: FollowOptions) {
  let lastEventId: string | undefined
  let failures = 0
  /** The reason of the current outage, once it was reported. */
  let reportedWhy: string | undefined

  const connect = Effect.gen(function* () {
    const response = yield* Effect.tryPromise({
      try: (signal) =>
        fetch(`${options.api}/api/v1/org/webhooks/stream`, {
          signal,
          // The key is for the API alone.
          redirect: "manual",
          headers: {
            authorization: `Bearer ${Redacted.value(options.key)}`,
            accept: "text/event-stream",
            ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId })
          }
        }),
      catch: requestFailed
    })
    if (response.status === 422 && lastEventId !== undefined) {
      lastEventId = undefined
      yield* options.say("What was seen last is not known any more: going on from now, some may be missed")
      return yield* new Broken({ why: "the stream cannot be gone on from there" })
    }
    if (response.status >= 500 || response.status === 429) {
      return yield* new Broken({ why: `the API answered ${response.status}` })
    }
    if (!response.ok || response.body === null) {
      return yield* new ListenRefused({ status: response.status, detail: yield* detailOf(response) })
    }
    yield* options.say(lastEventId === undefined ? "Listening" : "Listening again, from where it was")
    failures = 0
    reportedWhy = undefined
    return response.body
  })

  /** Reads one connection to its end. Returns how long the API wants to be left alone then, if it said so. */
  const listen = Effect.scoped(
    Effect.gen(function* () {
      const body = yield* connect
      const reader = yield* Effect.acquireRelease(
        Effect.sync(() => body.pipeThrough(new TextDecoderStream()).getReader()),
        (open) => Effect.ignore(Effect.tryPromise(() => open.cancel()))
      )
      const read = makeEventReader()
      let retryMillis: number | undefined
      while (true) {
        const { done, value } = yield* Effect.tryPromise({ try: () => reader.read(), catch: broken }).pipe(
          Effect.timeoutOrElse({
            duration: `${SILENCE_SECONDS_MAX} seconds`,
            orElse: () => Effect.fail(new Broken({ why: "the API has gone silent" }))
          })
        )
        if (done) return retryMillis
        for (const item of read(value)) {
          if ("retryMillis" in item) {
            retryMillis = item.retryMillis
            continue
          }
          if ("data" in item) yield* options.onEvent(item)
          lastEventId = "data" in item ? item.id : item.lastEventId
        }
      }
    })
  )

  const listenAndWait = Effect.gen(function* () {
    const retryMillis = yield* Effect.catchTag(
      listen,
      "Broken",
      Effect.fnUntraced(function* ({ why }) {
        // An outage is reported once, not with every try.
        if (why !== reportedWhy) yield* options.say(`Not connected: ${why}. Trying again`)
        reportedWhy = why
        return undefined
      })
    )
    const seconds = Math.min(RECONNECT_SECONDS.first * 2 ** failures, RECONNECT_SECONDS.longest)
    failures++
    yield* Effect.sleep(retryMillis === undefined ? `${seconds} seconds` : `${retryMillis} millis`)
  })
  return yield* Effect.repeat(listenAndWait, Schedule.forever)
})
