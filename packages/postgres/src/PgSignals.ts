import { Peers, Signals } from "@agent-platform/kernel"
import { DatabaseSchema, makeSignalHub, type SignalHub } from "@agent-platform/toolkit"
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Deferred, Effect, Layer, Queue, type Scope } from "effect"
import { SecureRandom } from "effect/crypto"
import { texts } from "./columns.ts"
import { HERE_SECONDS, isGone, isHere, makePeerList } from "./peers.ts"

/** The one channel of all topics, which are in the payload. */
export const channelOf = (schema: string) => `${schema}_signal`

/** A payload of NOTIFY must be shorter than 8000 bytes; everything in it besides topics is under 100. */
const TOPIC_BYTES_MAX = 7900

/** A payload is a line with the id of the process, followed by one line for each topic. */
export const payloads = (raiser: string, topics: Iterable<string>): ReadonlyArray<string> => {
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
 * Pacing: up to `UNGATHERED_MAX` statements may go at once, and after that one every `GATHER_MILLIS`, so that under load one
 * statement carries the signals of several transactions.
 */
const UNGATHERED_MAX = 5
const GATHER_MILLIS = 4

/** Exponential backoff of reconnections. The last is the most that it may delay signals after a failover. */
const RECONNECT_MILLIS = { first: 100, last: 1000 }

/**
 * Feeds the hub from one LISTEN connection for as long as the scope lives. After every connection it wakes all listeners,
 * because signals that were raised before are lost. `attempted` is completed after the first try, successful or not.
 */
const listening = Effect.fnUntraced(function* (
  pg: PgClient.PgClient,
  channel: string,
  hub: SignalHub,
  heard: (raiser: string, topic: string) => boolean,
  raiser: string,
  attempted: Deferred.Deferred<void>
) {
  let waitMillis = RECONNECT_MILLIS.first
  const connected = Effect.gen(function* () {
    const notifications = yield* pg.listen(channel)
    waitMillis = RECONNECT_MILLIS.first
    hub.wakeAll()
    yield* Deferred.succeed(attempted, undefined)
    while (true) {
      const { payload } = yield* Queue.take(notifications)
      const [from, ...topics] = payload.split("\n")
      if (from === undefined || from === raiser) continue
      for (const topic of topics) if (!heard(from, topic)) hub.wake(topic)
    }
  }).pipe(
    Effect.scoped,
    Effect.catchCause((cause) =>
      // Logged once an outage, not at every try.
      waitMillis > RECONNECT_MILLIS.first
        ? Effect.void
        : Effect.logWarning("Signals of other processes are not received", cause)
    )
  )
  while (true) {
    yield* connected
    yield* Deferred.succeed(attempted, undefined)
    yield* Effect.sleep(waitMillis)
    waitMillis = Math.min(waitMillis * 2, RECONNECT_MILLIS.last)
  }
})

/**
 * Signals by LISTEN and NOTIFY. A process gets its own without the database. Others get them by a statement after the
 * COMMIT: with a NOTIFY inside the transactions 16 writers fell from 16.5k to 4.7k a second. A signal that cannot be sent is lost. By
 * signals processes also learn of each other, as peers.
 */
export const layer: Layer.Layer<Signals, never, PgClient.PgClient> = Layer.effectContext(
  Effect.gen(function* () {
    const pg = yield* PgClient.PgClient
    const channel = channelOf(yield* DatabaseSchema)
    const clock = yield* Clock.Clock
    const hub = makeSignalHub()
    const raiser = SecureRandom.uuidV4Unsafe()
    let gathered = new Set<string>()
    const hasGathered = yield* Queue.sliding<void>(1)

    // A monotonic clock: one that is set back would delay the next signal.
    const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
    let dueMillis = 0
    /** The work that this process has joined, once for each time. */
    const joined: Array<string> = []
    const peers = makePeerList(now, (work) => joined.includes(work))
    const pace = () => {
      dueMillis = Math.max(dueMillis, now() - UNGATHERED_MAX * GATHER_MILLIS) + GATHER_MILLIS
    }

    // Without a synchronous commit, as a transaction that notifies would wait for the disk first.
    const notifying = (topics: Iterable<string>) => pg`
      select set_config('synchronous_commit', 'off', true), pg_notify(${channel}, payload)
      from unnest(${texts(payloads(raiser, topics))}) as payload
    `

    const gather = (topic: string) => {
      gathered.add(topic)
      Queue.offerUnsafe(hasGathered, undefined)
    }

    // Logged once an outage: a process says again and again that it is here.
    let isFailing = false
    const sending = Effect.gen(function* () {
      yield* Queue.take(hasGathered)
      if (dueMillis > now()) yield* Effect.sleep(dueMillis - now())
      pace()
      const topics = [...gathered]
      gathered = new Set()
      yield* notifying(topics)
      isFailing = false
    }).pipe(
      Effect.catchCause((cause) => {
        if (isFailing) return Effect.void
        isFailing = true
        return Effect.logWarning("Signals could not be sent", cause)
      }),
      Effect.forever
    )

    const attempted = yield* Deferred.make<void>()
    yield* Effect.forkScoped(sending)
    yield* Effect.forkScoped(listening(pg, channel, hub, peers.heard, raiser, attempted))
    yield* Deferred.await(attempted)

    const sayingHere = Effect.sync(() => {
      for (const work of joined) gather(isHere(work))
    })
    yield* Effect.forkScoped(Effect.forever(Effect.delay(sayingHere, `${HERE_SECONDS} seconds`)))

    const signals = Signals.of({
      raise: (topic) =>
        pg.afterCommit(
          Effect.sync(() => {
            hub.wake(topic)
            gather(topic)
          })
        ),
      listen: hub.listen
    })
    const join = (work: string): Effect.Effect<() => number, never, Scope.Scope> =>
      Effect.as(
        Effect.acquireRelease(
          Effect.sync(() => {
            joined.push(work)
            gather(isHere(work))
          }),
          () =>
            Effect.sync(() => {
              joined.splice(joined.indexOf(work), 1)
              if (!joined.includes(work)) gather(isGone(work))
            })
        ),
        () => 1 + peers.count(work)
      )
    return Context.add(Context.make(Signals, signals), Peers, { join })
  })
)
