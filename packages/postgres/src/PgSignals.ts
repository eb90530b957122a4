import { Signals } from "@agent-platform/kernel"
import { makeSignalHub, type SignalHub } from "@agent-platform/toolkit"
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
 * Signals are sent at once while there were fewer statements than so many in the time that these take by the other. From there
 * on they wait, so that under load one statement carries those of several transactions.
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
 * Signals by LISTEN and NOTIFY. A process hears its own without the database. Others get them by a statement after the
 * COMMIT, which under load carries those of several transactions: a NOTIFY inside the raising transactions took 16 writers
 * from 16.5k to 4.7k a second. One that cannot be sent is lost and logged.
 */
export const layer: Layer.Layer<Signals, never, PgClient.PgClient> = Layer.effect(
  Signals,
  Effect.gen(function* () {
    const pg = yield* PgClient.PgClient
    const clock = yield* Clock.Clock
    const hub = makeSignalHub()
    const raiser = SecureRandom.uuidV4Unsafe()
    let gathered = new Set<string>()
    const some = yield* Queue.sliding<void>(1)

    // By a clock that cannot be set back: the next signal would wait for as long.
    const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
    let dueMillis = 0
    const pace = () => {
      dueMillis = Math.max(dueMillis, now() - UNGATHERED_MAX * GATHER_MILLIS) + GATHER_MILLIS
    }

    // A transaction that notifies waits for the disk before it does, unless it is told that nothing in it has to last.
    const notifying = (topics: Iterable<string>) => pg`
      select set_config('synchronous_commit', 'off', true), pg_notify(${CHANNEL}, payload)
      from unnest(${texts(payloads(raiser, topics))}) as payload
    `

    const gather = (topic: string) => {
      gathered.add(topic)
      Queue.offerUnsafe(some, undefined)
    }

    const sending = Effect.gen(function* () {
      yield* Queue.take(some)
      if (dueMillis > now()) yield* Effect.sleep(dueMillis - now())
      pace()
      const topics = [...gathered]
      gathered = new Set()
      yield* notifying(topics)
    }).pipe(
      Effect.catchCause((cause) => Effect.logWarning("Signals could not be sent", cause)),
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
            gather(topic)
          })
        ),
      listen: hub.listen
    })
  })
)
