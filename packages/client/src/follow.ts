/** Event streams that go on by themselves where a connection broke off. */
import { ApiProblem, Unanswered } from "./failures.ts"
import { pause, type Reach, send, unanswered } from "./request.ts"
import { makeEventReader } from "./serverSentEvents.ts"

/** The stream to follow. */
export interface Follow {
  readonly path: string
  /** The event to go on after. */
  readonly lastEventId?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Called with the place where a stream without `lastEventId` begins. */
  readonly onBegin?: ((place: string) => void) | undefined
  /** The types of events after which nothing can come; a stream without them has no end. */
  readonly last?: RegExp | undefined
}

/** How long to wait before a stream is opened again, unless the server says otherwise. */
const RECONNECT_MILLIS = 1_000

/** From this status on it is the server, or a proxy before it, that cannot answer now. */
const AWAY_MIN = 500

/** `follow` fails after so many openings in a row without an event. The wait before each is longer than the one before. */
const BARREN_MAX = 8

/** A stream that was open for so long counts as sound even without an event. The server sends a comment this often. */
const SOUND_MILLIS = 15_000

async function* eventsOf(response: Response) {
  const read = makeEventReader()
  const decoder = new TextDecoder()
  const reader = response.body?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield* read(decoder.decode(value, { stream: true }))
    }
  } finally {
    // A reader that is left behind would keep the connection.
    await reader.cancel().catch(() => undefined)
  }
}

/**
 * The events, each once. When a connection breaks off, or the server goes away, the stream is opened again after the last event that was
 * seen. It ends after an event of a type in `last`. Fails with ApiProblem when the service refuses, for instance because the key was
 * revoked, and with the last failure after `BARREN_MAX` openings in a row that failed, or ended soon without an event.
 */
export async function* follow(reach: Reach, { last, lastEventId: after, onBegin, path, signal }: Follow) {
  let lastEventId = after
  let reconnectMillis = RECONNECT_MILLIS
  /** The openings without an event so far, this one included. */
  for (let barren = 1; ; barren++) {
    let openedAt = Number.POSITIVE_INFINITY
    let failure: ApiProblem | Unanswered = new Unanswered("The stream broke off")
    try {
      const headers = { accept: "text/event-stream", ...(lastEventId ? { "last-event-id": lastEventId } : {}) }
      const response = await send(reach, { method: "GET", path, headers, signal })
      openedAt = Date.now()
      for await (const item of eventsOf(response)) {
        if ("retryMillis" in item) {
          reconnectMillis = item.retryMillis
          continue
        }
        if ("lastEventId" in item) {
          if (!lastEventId) onBegin?.(item.lastEventId)
          lastEventId = item.lastEventId
          continue
        }
        barren = 0
        lastEventId = item.id || lastEventId
        yield item
        if (last?.test(item.event)) return
      }
    } catch (cause) {
      signal?.throwIfAborted()
      failure = cause instanceof ApiProblem ? cause : unanswered(cause)
      if ("status" in failure && failure.status < AWAY_MIN) throw failure
    }
    if (Date.now() - openedAt >= SOUND_MILLIS) barren = 0
    if (barren >= BARREN_MAX) throw failure
    await pause(reconnectMillis * (barren || 1), signal)
  }
}
