import { Peers, Signals } from "@agent-platform/kernel"
import { DatabaseSchema, makeSignalHub, type SignalHub } from "@agent-platform/toolkit"
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Deferred, Effect, Layer, Queue, type Scope } from "effect"
import { SecureRandom } from "effect/crypto"
import { texts } from "./columns.ts"
import { raiseAsGuestOr } from "./host/Guest.ts"
import { HERE_SECONDS, isGone, isHere, makePeerList } from "./peers.ts"
import { followCommit } from "./pipelined.ts"
import type { Follow } from "./SessionConnection.ts"
import { channelOf, payloads } from "./signalPayloads.ts"

/** Exponential backoff of reconnections. The last is the most that it may delay signals after a failover. */
const RECONNECT_MILLIS = { first: 100, last: 1000 }

/** Most seconds that a process which stops waits for the others to be told. */
const LAST_WORD_SECONDS = 1

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
 * Signals by LISTEN and NOTIFY. A process gets its own without the database. Others get them by a statement right behind the
 * COMMIT: with a NOTIFY inside the transactions 16 writers fell from 16.5k to 4.7k a second. A signal that cannot be sent is lost.
 * In the transaction of a host, which is committed later, signals are the host's to allow. By signals processes also learn of each other, as
 * peers.
 */
export const layer: Layer.Layer<Signals, never, PgClient.PgClient> = Layer.effectContext(
  Effect.gen(function* () {
    const pg = yield* PgClient.PgClient
    const channel = channelOf(yield* DatabaseSchema)
    const clock = yield* Clock.Clock
    const hub = makeSignalHub()
    const raiser = SecureRandom.uuidV4Unsafe()

    /** The work that this process has joined, once for each time. */
    const joined: Array<string> = []
    // A monotonic clock: one that is set back would keep peers that are gone.
    const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
    const peers = makePeerList(now, (work) => joined.includes(work))

    // Logged once an outage: a process says again and again that it is here.
    let isFailing = false
    // Without a synchronous commit, as a transaction that notifies would wait for the disk first.
    const notify: Follow = (topics, send) =>
      Effect.matchCauseEffect(
        send(pg`
          select set_config('synchronous_commit', 'off', true), pg_notify(${channel}, payload)
          from unnest(${texts(payloads(raiser, topics))}) as payload
        `),
        {
          onFailure: (cause) => {
            if (isFailing) return Effect.void
            isFailing = true
            return Effect.logWarning("Signals could not be sent", cause)
          },
          onSuccess: () =>
            Effect.sync(() => {
              isFailing = false
            })
        }
      )

    const attempted = yield* Deferred.make<void>()
    yield* Effect.forkScoped(listening(pg, channel, hub, peers.heard, raiser, attempted))
    yield* Deferred.await(attempted)

    /** The work that this process has left without having told the others. */
    const left = new Set<string>()
    const mayTell = yield* Queue.sliding<void>(1)
    // By one fiber, so that nothing is told in another order than it came about.
    const tell = Effect.suspend(() => {
      const gone = [...left]
      const topics = [...joined.map(isHere), ...gone.map(isGone)]
      if (topics.length === 0) return Effect.void
      const told = Effect.sync(() => {
        for (const work of gone) left.delete(work)
      })
      return Effect.andThen(
        notify(topics, (statement) => statement),
        told
      )
    })
    // Registered before the fiber, so it comes after that one: what it had not told yet.
    yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(tell), `${LAST_WORD_SECONDS} seconds`))
    yield* Queue.take(mayTell).pipe(
      Effect.timeoutOption(`${HERE_SECONDS} seconds`),
      Effect.andThen(tell),
      Effect.forever,
      Effect.forkScoped
    )

    const signals = Signals.of({
      raise: (topic) =>
        raiseAsGuestOr(
          topic,
          Effect.andThen(followCommit(pg, notify, topic), pg.afterCommit(Effect.sync(() => hub.wake(topic))))
        ),
      listen: hub.listen
    })
    const join = (work: string): Effect.Effect<() => number, never, Scope.Scope> =>
      Effect.as(
        Effect.acquireRelease(
          Effect.sync(() => {
            joined.push(work)
            left.delete(work)
            Queue.offerUnsafe(mayTell, undefined)
          }),
          () =>
            Effect.sync(() => {
              joined.splice(joined.indexOf(work), 1)
              if (joined.includes(work)) return
              left.add(work)
              Queue.offerUnsafe(mayTell, undefined)
            })
        ),
        () => 1 + peers.count(work)
      )
    return Context.add(Context.make(Signals, signals), Peers, { join })
  })
)
