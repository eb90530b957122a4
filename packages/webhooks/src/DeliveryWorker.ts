/** The delivery worker: hands events out, attempts deliveries, settles in batches. Start as many as you like. */
import {
  EVENTS_ADDED,
  type EventLog,
  type FeedLog,
  Outbox,
  persistently,
  Signals,
  type UnitOfWork,
  untilDone
} from "@agent-platform/kernel"
import { Clock, Effect, Exit, Option, Queue, type Scope } from "effect"
import type { FlightPorts, Flights } from "./Flights.ts"
import { deliveriesDue } from "./jobs.ts"
import { makeFlights } from "./makeFlights.ts"
import { DeliveryStore } from "./ports/DeliveryStore.ts"
import type { EndpointStore } from "./ports/EndpointStore.ts"
import { makeSettlementQueue, type SettlementQueue } from "./SettlementQueue.ts"
import { fanOutEvents } from "./use-cases/fanOutEvents.ts"

/** How the worker works; the defaults suit two cores. */
export interface DeliveryWorkerOptions {
  /** The spec's headers are `<prefix>-signature` and so on. */
  readonly headerPrefix: string
  /** Exchanges in flight at once, and how many of them to one endpoint. */
  readonly inFlightMax: number
  readonly inFlightPerEndpointMax: number
  /** A claim lapses this long after its last renewal: a killed worker's deliveries are taken up by another then. */
  readonly leaseSeconds: number
  readonly renewSeconds: number
  /** How often work is looked for when no signal comes. */
  readonly pollSeconds: number
}

export const DELIVERY_WORKER_DEFAULTS: DeliveryWorkerOptions = {
  headerPrefix: "x-service",
  inFlightMax: 128,
  inFlightPerEndpointMax: 16,
  leaseSeconds: 10,
  renewSeconds: 3,
  pollSeconds: 1
}

/** Most events handed out at once. */
const EVENTS_MAX = 256

/** Due deliveries that could not be claimed are not looked for more often than this. */
const CLAIM_MILLIS_MIN = 250

/** And looking for them takes no more than one part in so many of the time, however many there are. */
const CLAIM_SHARE = 10

/** How long a closing worker tries to write what has ended; what it cannot write is attempted again by another. */
const CLOSE_SECONDS = 5

export type DeliveryWorkerPorts =
  | EndpointStore
  | DeliveryStore
  | EventLog
  | FeedLog
  | FlightPorts
  | Outbox
  | Signals
  | UnitOfWork

interface Parts {
  readonly options: DeliveryWorkerOptions
  readonly flights: Flights
  readonly settlements: SettlementQueue
  /** Has something in it when this worker has written what is pending: the time that the next is due may be another. */
  readonly pending: Queue.Dequeue<void>
}

/** Takes events and hands them to the lanes; pauses while those have enough to do. */
const dispatchLoop = ({ flights, options }: Parts) =>
  Effect.gen(function* () {
    const outbox = yield* Outbox
    const signals = yield* Signals
    const next = yield* signals.listen(EVENTS_ADDED)
    // What an event came to lately, so that what is taken fits.
    let deliveriesPerEvent = 1
    const dispatch = (max: number) =>
      Effect.acquireUseRelease(
        outbox.take(max),
        (taken) =>
          taken.length === 0
            ? Effect.succeed(taken)
            : Effect.map(untilDone("Handing events out", fanOutEvents(taken)), (handedOut) => {
                const made = handedOut.reduce((sum, { sendable }) => sum + sendable.length, 0)
                deliveriesPerEvent = Math.max(1, made / taken.length)
                handedOut.forEach(flights.bring)
                return taken
              }),
        (taken, exit) => (taken.length === 0 || Exit.isSuccess(exit) ? Effect.void : outbox.release(taken))
      )
    return persistently(
      "Handing events out",
      Effect.gen(function* () {
        const room = yield* flights.appetite
        const max = Math.max(1, Math.min(EVENTS_MAX, Math.floor(room / deliveriesPerEvent)))
        const taken = yield* dispatch(max)
        // What was not there yet has its signal still to come.
        if (taken.length < max) yield* next(options.pollSeconds)
      })
    )
  })

/** Claims what is due, for as long as there is room, and attempts it. */
const claimLoop = ({ flights, options, pending }: Parts, claims: Set<string>) =>
  Effect.gen(function* () {
    const deliveries = yield* DeliveryStore
    const signals = yield* Signals
    const clock = yield* Clock.Clock
    const next = yield* signals.listen(deliveriesDue)
    const ended = yield* flights.listen

    // Not interruptible: what was claimed must be in hand here, or the stopping worker would not wait for it.
    const claim = Effect.fnUntraced(function* () {
      const room = flights.room()
      if (room.max === 0) return true
      const claimed = yield* deliveries.claimDue({ ...room, leaseSeconds: options.leaseSeconds })
      // The store knows the room that there was, and not what was taken of it meanwhile.
      const excess = claimed.filter((one) => {
        const received = flights.receive(one)
        if (received) claims.add(one.claimToken)
        return !received
      })
      if (excess.length > 0) yield* deliveries.release(excess.map((one) => one.claimToken))
      return claimed.length >= room.max
    }, Effect.uninterruptible)

    return persistently(
      "Claiming deliveries",
      Effect.gen(function* () {
        const startedAt = clock.currentTimeMillisUnsafe()
        const isFull = yield* claim()
        const spent = clock.currentTimeMillisUnsafe() - startedAt
        if (isFull) return yield* Effect.raceFirst(ended, Effect.sleep(`${options.pollSeconds} seconds`))
        const millis = yield* deliveries.millisUntilDue
        if (millis !== undefined && millis <= 0) {
          yield* Effect.sleep(Math.max(CLAIM_MILLIS_MIN, spent * (CLAIM_SHARE - 1)))
          return yield* Effect.raceFirst(next(options.pollSeconds), ended)
        }
        const seconds = Math.min(options.pollSeconds, millis === undefined ? Number.POSITIVE_INFINITY : millis / 1000)
        yield* Effect.raceFirst(next(Math.max(0.01, seconds)), Queue.take(pending))
      })
    )
  })

/**
 * Starts a worker that runs until the scope closes. Closing takes up nothing new, lets exchanges in flight end and
 * be settled, and only then returns: at most one exchange's deadline and `CLOSE_SECONDS`, also while the store is away.
 */
export const startDeliveryWorker = Effect.fnUntraced(function* (
  overrides: Partial<DeliveryWorkerOptions> = {}
): Effect.fn.Return<void, never, DeliveryWorkerPorts | Scope.Scope> {
  const options = { ...DELIVERY_WORKER_DEFAULTS, ...overrides }
  const deliveries = yield* DeliveryStore
  const claims = new Set<string>()
  const pending = yield* Queue.sliding<void>(1)
  const settlements = yield* makeSettlementQueue({
    leaseSeconds: options.leaseSeconds,
    pending: () => Queue.offerUnsafe(pending, undefined),
    claimed: (claimToken) => claims.add(claimToken),
    settled: (claimToken) => claims.delete(claimToken)
  })
  yield* Effect.forkScoped(
    persistently(
      "Renewing claims",
      Effect.gen(function* () {
        yield* Effect.sleep(`${options.renewSeconds} seconds`)
        if (claims.size > 0) yield* deliveries.renew([...claims], options.leaseSeconds)
      })
    )
  )
  const flights = yield* makeFlights(options, settlements, (claimToken) => claims.delete(claimToken))
  yield* Effect.forkScoped(
    persistently(
      "Settling deliveries",
      Effect.tap(settlements.settleNext, () => Effect.sync(flights.settled))
    )
  )
  yield* Effect.forkScoped(flights.sweep)
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      yield* flights.stop
      yield* flights.landed
      const written = yield* Effect.timeoutOption(settlements.empty, `${CLOSE_SECONDS} seconds`)
      if (Option.isSome(written)) return
      yield* Effect.logError(`${settlements.size()} settlements could not be written: another worker sends them again`)
      yield* Effect.ignore(Effect.timeoutOption(settlements.giveUp, "1 second"))
    })
  )
  const parts = { options, flights, settlements, pending }
  yield* Effect.forkScoped(yield* claimLoop(parts, claims))
  yield* Effect.forkScoped(yield* dispatchLoop(parts))
})
