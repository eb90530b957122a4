/** Event streams that go on by themselves where a connection broke off. */
import { ApiProblem, Unanswered } from "./failures.ts"
import { pause, type Reach, send } from "./request.ts"
import { makeEventReader, type ServerSentEvent } from "./serverSentEvents.ts"

/** The stream to follow. */
export interface Follow {
  readonly path: string
  /** The event to go on after. */
  readonly lastEventId?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Whether nothing can come after this event. */
  readonly isLast: (event: ServerSentEvent) => boolean
}

/** How long to wait before a stream is opened again, unless the server says otherwise. */
const RECONNECT_MILLIS = 1_000

/** From this status on it is the server, or a proxy before it, that cannot answer now. */
const AWAY_MIN = 500

const isKnown = (failure: unknown) => failure instanceof ApiProblem || failure instanceof Unanswered

/** Streams that ended without a single event are opened again so often, and each time later. */
const BARREN_MAX = 8

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
 * The events, each once: where a connection breaks off, or the server goes away, it is opened anew after the last event that
 * was seen. Ends after the last event there can be. Fails with ApiProblem where the service refuses, for instance because the
 * key was revoked, and with what came last after `BARREN_MAX` openings in a row without an event.
 */
export async function* follow(reach: Reach, { isLast, path, signal, ...begin }: Follow) {
  let lastEventId = begin.lastEventId
  let reconnectMillis = RECONNECT_MILLIS
  for (let barren = 1; ; barren++) {
    try {
      const headers = { accept: "text/event-stream", ...(lastEventId ? { "last-event-id": lastEventId } : {}) }
      for await (const said of eventsOf(await send(reach, { method: "GET", path, headers, signal }))) {
        if ("retryMillis" in said) {
          reconnectMillis = said.retryMillis
          continue
        }
        if ("lastEventId" in said) {
          lastEventId = said.lastEventId
          continue
        }
        barren = 0
        lastEventId = said.id || lastEventId
        yield said
        if (isLast(said)) return
      }
    } catch (failure) {
      signal?.throwIfAborted()
      const isRefusal = failure instanceof ApiProblem && failure.status < AWAY_MIN
      if (isRefusal) throw failure
      if (barren >= BARREN_MAX) throw isKnown(failure) ? failure : new Unanswered("The stream broke off")
    }
    if (barren >= BARREN_MAX) throw new Unanswered("The stream ended again and again")
    await pause(reconnectMillis * Math.max(1, barren), signal)
  }
}
