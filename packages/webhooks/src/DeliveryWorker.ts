/** The delivery worker: hands events out, sends what is due, settles in batches. Start as many as you like. */
import {
  dispatchEvent,
  type Egress,
  type EventLog,
  JobSource,
  persistently,
  type SecretBox,
  Signals,
  UnitOfWork,
  untilDone
} from "@agent-platform/kernel"
import { DateTime, Deferred, Effect, Exit, FiberSet, Queue, type Scope } from "effect"
import { type Mac, SecureRandom } from "effect/crypto"
import { type Attempt, afterAttempt } from "./Delivery.ts"
import { deliveriesDue } from "./jobs.ts"
import { makeLanes } from "./Lanes.ts"
import { type ClaimedDelivery, DeliveryStore, type SettledDelivery } from "./ports/DeliveryStore.ts"
import type { EndpointStore } from "./ports/EndpointStore.ts"
import { attemptDelivery } from "./use-cases/attemptDelivery.ts"
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

/** Most events handed out, and most deliveries settled, in one transaction. */
const BATCH_MAX = 256

/** How long the first of a batch of settlements waits for others. */
const SETTLE_WAIT_MILLIS = 5

export type DeliveryWorkerPorts =
  | EndpointStore
  | DeliveryStore
  | Egress
  | EventLog
  | JobSource
  | Mac.Mac
  | SecretBox
  | SecureRandom.SecureRandom
  | Signals
  | UnitOfWork

interface Settlement {
  readonly settled: SettledDelivery
  readonly written: Deferred.Deferred<void>
}

const dispatchLoop = (options: DeliveryWorkerOptions) =>
  Effect.gen(function* () {
    const source = yield* JobSource
    const signals = yield* Signals
    const next = yield* signals.listen(dispatchEvent.name)
    const dispatch = Effect.acquireUseRelease(
      source.take(dispatchEvent, BATCH_MAX),
      (jobs) => Effect.as(jobs.length === 0 ? Effect.void : untilDone("Handing events out", fanOutEvents(jobs)), jobs),
      (jobs, exit) => (jobs.length === 0 || Exit.isSuccess(exit) ? Effect.void : source.release(jobs))
    )
    return persistently(
      "Handing events out",
      Effect.gen(function* () {
        const jobs = yield* dispatch
        if (jobs.length < BATCH_MAX) yield* next(options.pollSeconds)
      })
    )
  })

const settleLoop = (settlements: Queue.Queue<Settlement>) =>
  Effect.gen(function* () {
    const deliveries = yield* DeliveryStore
    const unit = yield* UnitOfWork
    const batch = yield* Queue.takeAll(settlements)
    yield* Effect.sleep(SETTLE_WAIT_MILLIS)
    const more = yield* Queue.clear(settlements)
    const all = [...batch, ...more]
    // Losing a settlement would send the delivery twice.
    yield* untilDone("Settling deliveries", unit.atomic(deliveries.settle(all.map((one) => one.settled))))
    yield* Effect.forEach(all, (one) => Deferred.succeed(one.written, undefined), { discard: true })
  })

/**
 * Starts a worker that runs until the scope closes. Closing takes up nothing new, lets exchanges in flight end and
 * be settled, and only then returns: at most one exchange's deadline.
 */
export const startDeliveryWorker = Effect.fnUntraced(function* (
  overrides: Partial<DeliveryWorkerOptions> = {}
): Effect.fn.Return<void, never, DeliveryWorkerPorts | Scope.Scope> {
  const options = { ...DELIVERY_WORKER_DEFAULTS, ...overrides }
  const deliveries = yield* DeliveryStore
  const signals = yield* Signals
  const random = yield* SecureRandom.SecureRandom
  const lanes = makeLanes({ total: options.inFlightMax, perEndpoint: options.inFlightPerEndpointMax })
  const claims = new Set<string>()
  const settlements = yield* Queue.unbounded<Settlement>()
  const freed = yield* Queue.sliding<void>(1)

  const send = Effect.fnUntraced(function* (claimed: ClaimedDelivery) {
    const outcome = yield* attemptDelivery(claimed, options)
    const jitter = (yield* random.intBetween(0, 1_000_000)) / 1_000_000
    const { retryAfterSeconds: _, ...made } = outcome
    const attempt: Attempt = { number: claimed.delivery.attemptCount + 1, ...made }
    const written = yield* Deferred.make<void>()
    const delivery = afterAttempt(claimed.delivery, outcome, jitter)
    Queue.offerUnsafe(settlements, { settled: { claimToken: claimed.claimToken, delivery, attempt }, written })
    yield* Deferred.await(written)
  })

  yield* Effect.forkScoped(persistently("Settling deliveries", settleLoop(settlements)))
  const inFlight = yield* FiberSet.make()
  yield* Effect.forkScoped(
    persistently(
      "Renewing claims",
      Effect.gen(function* () {
        yield* Effect.sleep(`${options.renewSeconds} seconds`)
        if (claims.size === 0) return
        yield* deliveries.renew([...claims], { leaseSeconds: options.leaseSeconds, now: yield* DateTime.now })
      })
    )
  )
  yield* Effect.addFinalizer(() => FiberSet.awaitEmpty(inFlight))

  // What was due at `claimedAt` and could not be claimed waits for room in a full lane, which `freed` tells, or for
  // another worker; looking at the clock for it would be busy.
  const secondsUntilDue = Effect.fnUntraced(function* (claimedAt: DateTime.Utc) {
    const nextDueAt = yield* deliveries.nextDueAt
    if (nextDueAt === undefined || DateTime.isLessThanOrEqualTo(nextDueAt, claimedAt)) return options.pollSeconds
    const millis = DateTime.toEpochMillis(nextDueAt) - DateTime.toEpochMillis(yield* DateTime.now)
    return Math.min(options.pollSeconds, Math.max(0.01, millis / 1000))
  })

  const next = yield* signals.listen(deliveriesDue)
  // Not interruptible: what was claimed must be in flight here, or the stopping worker would not wait for it.
  const claim = Effect.fnUntraced(function* (now: DateTime.Utc) {
    const max = lanes.free()
    if (max === 0) return 0
    const claimed = yield* deliveries.claimDue({
      max,
      perEndpoint: options.inFlightPerEndpointMax,
      except: lanes.full(),
      leaseSeconds: options.leaseSeconds,
      now
    })
    const excess: Array<string> = []
    for (const one of claimed) {
      // The store knows how wide a lane is, and not how much of it is taken.
      if (!lanes.admits(one.endpoint.id)) {
        excess.push(one.claimToken)
        continue
      }
      lanes.enter(one.endpoint.id)
      claims.add(one.claimToken)
      const over = Effect.sync(() => {
        lanes.leave(one.endpoint.id)
        claims.delete(one.claimToken)
        Queue.offerUnsafe(freed, undefined)
      })
      yield* FiberSet.run(
        inFlight,
        send(one).pipe(
          // Its claim is left to lapse, which is also what keeps a delivery that cannot be attempted from spinning.
          Effect.catchCause((cause) => Effect.logError("A delivery could not be attempted", cause)),
          Effect.ensuring(over),
          Effect.interruptible
        )
      )
    }
    if (excess.length > 0) yield* deliveries.release(excess)
    return claimed.length
  }, Effect.uninterruptible)
  yield* Effect.forkScoped(
    persistently(
      "Sending deliveries",
      Effect.gen(function* () {
        const now = yield* DateTime.now
        if ((yield* claim(now)) > 0) return
        const seconds = lanes.free() === 0 ? options.pollSeconds : yield* secondsUntilDue(now)
        yield* Effect.raceFirst(next(seconds), Queue.take(freed))
      })
    )
  )
  yield* Effect.forkScoped(yield* dispatchLoop(options))
})
