import { makeSignalHub, type SignalHub, Signals } from "@agent-platform/kernel"
import { PgClient } from "@effect/sql-pg"
import { Clock, Deferred, Effect, Layer, Queue } from "effect"
import { SecureRandom } from "effect/crypto"
import { texts } from "./columns.ts"

/** The one channel of the house; the topic is in the payload. */
const CHANNEL = "agent_platform_signal"

/** A payload of NOTIFY must be shorter than 8000 bytes; what else is in it besides topics is under 100. */
const TOPIC_BYTES_MAX = 7900

/** Topics go in one payload, a line each, after a line that says who raised them. */
const payloads = (raiser: string, topics: Iterable<string>): ReadonlyArray<string> => {
  const made: Array<string> = []
  let lines: Array<string> = []
  let size = 0
  for (const topic of topics) {
    const bytes = new TextEncoder().encode(topic).length + 1
    if (bytes > TOPIC_BYTES_MAX) continue
    if (size + bytes > TOPIC_BYTES_MAX) {
      made.push([raiser, ...lines].join("\n"))
      lines = []
      size = 0
    }
    lines.push(topic)
    size += bytes
  }
  if (lines.length > 0) made.push([raiser, ...lines].join("\n"))
  return made
}

/**
 * Statements with signals go out at once while there were fewer than so many in the time that these take by the other: from
 * there on each waits its time for others, so that under load one carries the signals of several transactions.
 */
const UNGATHERED_MAX = 5
const GATHER_MILLIS = 4

/** Reconnecting waits this long at first, twice as long after each failure in a row, and never longer than the last. */
const RECONNECT_MILLIS = { first: 100, last: 5000 }

/**
 * Feeds the hub from one LISTEN connection for as long as the scope lives. After every connect it wakes everybody, for
 * what was raised before that went unheard. `attempted` is done after the first try, whatever came of it.
 */
const listening = Effect.fnUntraced(function* (
  pg: PgClient.PgClient,
  hub: SignalHub,
  raiser: string,
  attempted: Deferred.Deferred<void>
) {
  let waitMillis = RECONNECT_MILLIS.first
  const connected = Effect.gen(function* () {
    const notifications = yield* pg.listen(CHANNEL)
    waitMillis = RECONNECT_MILLIS.first
    hub.wakeAll()
    yield* Deferred.succeed(attempted, undefined)
    while (true) {
      const { payload } = yield* Queue.take(notifications)
      const [from, ...topics] = payload.split("\n")
      if (from !== raiser) topics.forEach(hub.wake)
    }
  }).pipe(
    Effect.scoped,
    Effect.catchCause((cause) => Effect.logWarning("Signals of other processes are not heard", cause))
  )
  while (true) {
    yield* connected
    yield* Deferred.succeed(attempted, undefined)
    yield* Effect.sleep(waitMillis)
    waitMillis = Math.min(waitMillis * 2, RECONNECT_MILLIS.last)
  }
})

/**
 * Signals by LISTEN and NOTIFY. A process hears its own without the database. Others get them by one statement after the
 * commit, sent at once unless another was sent a moment ago, which carries all that was raised since that one: a NOTIFY
 * inside the raising transactions took 16 writers from 16.5k to 4.7k a second. One that cannot be sent is lost and logged.
 */
export const layer: Layer.Layer<Signals, never, PgClient.PgClient> = Layer.effect(
  Signals,
  Effect.gen(function* () {
    const pg = yield* PgClient.PgClient
    const clock = yield* Clock.Clock
    const hub = makeSignalHub()
    const raiser = SecureRandom.uuidV4Unsafe()
    const raised = new Set<string>()
    const some = yield* Queue.sliding<void>(1)

    let dueMillis = 0
    const paced = Effect.suspend(() => {
      // A clock that is set back would have the next signal wait for as long.
      const now = Number(clock.monotonicTimeNanosUnsafe()) / 1e6
      dueMillis = Math.max(dueMillis, now - UNGATHERED_MAX * GATHER_MILLIS) + GATHER_MILLIS
      return dueMillis > now ? Effect.sleep(dueMillis - now) : Effect.void
    })

    const sending = Effect.gen(function* () {
      yield* Queue.take(some)
      const topics = [...raised]
      raised.clear()
      // A transaction that notifies waits for the disk before it does, unless it is told that nothing in it has to last.
      yield* pg`
        select set_config('synchronous_commit', 'off', true), pg_notify(${CHANNEL}, payload)
        from unnest(${texts(payloads(raiser, topics))}) as payload
      `
    }).pipe(
      Effect.catchCause((cause) => Effect.logWarning("Signals could not be sent", cause)),
      Effect.andThen(paced),
      Effect.forever
    )

    const attempted = yield* Deferred.make<void>()
    yield* Effect.forkScoped(sending)
    yield* Effect.forkScoped(listening(pg, hub, raiser, attempted))
    yield* Deferred.await(attempted)

    return Signals.of({
      raise: (topic) =>
        pg.afterCommit(
          Effect.sync(() => {
            hub.wake(topic)
            raised.add(topic)
            Queue.offerUnsafe(some, undefined)
          })
        ),
      listen: hub.listen
    })
  })
)
