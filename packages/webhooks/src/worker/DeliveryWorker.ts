/**
 * The delivery worker: it takes events from the outbox, attempts their deliveries and writes the outcomes. Start as many as
 * you like, in as many processes.
 *
 * ```
 *              take                    enqueue                begin
 *   outbox ──────────▶ dispatchEvents ─────────▶ EndpointQueues ──────▶ in flight ──▶ receiver
 *     ▲   (leases)     (fan-out)                  (EndpointLimiter)     (Attempts)       │
 *     │                                                 ▲                                │ outcome
 *     │                                          accept │                                ▼
 *     │                                          claimDeliveries                     outcomes
 *     │                                                 ▲                                │
 *     │ complete                                        │ claim, renew                   ▼
 *     └──────────────── SettlementQueue ──▶ delivery rows ◀── one transaction ── batches of settlements
 * ```
 *
 * **Two sources.** A first attempt comes from the outbox, where its event is taken under a short lease, and is made before its
 * delivery has a row. A retry, a replay or a test event has a row, which is claimed under a lease that the worker renews.
 *
 * **Limiter and queues.** At most `inFlightMax` requests are in flight, and fewer for one endpoint and one organization, so
 * that a hanging endpoint uses up its own limit and nobody else's. Others wait in their endpoint's queue; queues
 * take turns.
 *
 * **Slow.** A delivery that is in flight for a second, or waits so long for its turn, gets a row. From then on a lease of its own
 * says who holds it, and its event may leave the outbox: so the lease of an event is never renewed. A slow request gives its
 * place back.
 *
 * **Settlement.** Outcomes wait some milliseconds for others and are written as a batch, in one transaction. An event leaves the
 * outbox in the transaction that writes the last of its deliveries.
 *
 * **Back-pressure and demand.** Nothing new is sent while 512 settlements are unwritten, since a kill sends those twice. Events are
 * taken only while few first attempts wait: the sender has demand for so many, and the loop that takes events waits for it.
 * Due rows are claimed as far as the limiter has free places.
 *
 * **One loop, by callback.** `makeSender` is the only place that begins requests and takes in their outcomes. It runs once for
 * all that has ended by then and makes no effect for a delivery that succeeds, so that thousands a second cost little more than
 * their requests. That stays in this folder; what a delivery is, when it is tried again and what a signature covers are rules of
 * the domain, outside of it.
 */
import type { EventLog, FeedLog, Outbox, Signals, UnitOfWork } from "@agent-platform/kernel"
import { persistently } from "@agent-platform/toolkit"
import { Effect, Option, Queue, type Scope } from "effect"
import type { DeliveryLifecycle } from "../ports/DeliveryLifecycle.ts"
import { DeliveryQueue } from "../ports/DeliveryQueue.ts"
import type { DeliverySettlement } from "../ports/DeliverySettlement.ts"
import type { EndpointHealthStore } from "../ports/EndpointHealthStore.ts"
import type { EndpointStore } from "../ports/EndpointStore.ts"
import type { EventDispatch } from "../ports/EventDispatch.ts"
import { RETRY_DELAYS_SECONDS } from "../RetrySchedule.ts"
import { USER_AGENT } from "../Signature.ts"
import { claimDeliveries } from "./claimDeliveries.ts"
import { dispatchEvents } from "./dispatchEvents.ts"
import { makeSender } from "./makeSender.ts"
import type { SenderPorts } from "./Sender.ts"
import { makeSettlementQueue } from "./SettlementQueue.ts"

/** How the worker works; the defaults suit two cores. */
export interface DeliveryWorkerOptions {
  /** The spec's headers are `<prefix>-signature` and so on. */
  readonly headerPrefix: string
  readonly userAgent: string
  /** Seconds to wait after each failed attempt of a delivery; one more failure than these, and it is dead. */
  readonly retryDelaysSeconds: ReadonlyArray<number>
  /** Requests in flight at once, and how many of them to one endpoint. */
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
  userAgent: USER_AGENT,
  retryDelaysSeconds: RETRY_DELAYS_SECONDS,
  inFlightMax: 128,
  inFlightPerEndpointMax: 16,
  leaseSeconds: 10,
  renewSeconds: 3,
  pollSeconds: 1
}

/** How long a closing worker tries to write what has ended; what it cannot write is attempted again by another. */
const CLOSE_SECONDS = 5

export type DeliveryWorkerPorts =
  | EndpointStore
  | EndpointHealthStore
  | DeliveryQueue
  | DeliverySettlement
  | DeliveryLifecycle
  | EventDispatch
  | EventLog
  | FeedLog
  | SenderPorts
  | Outbox
  | Signals
  | UnitOfWork

/**
 * Starts a worker that runs until the scope closes. Closing takes up nothing new, lets requests in flight end and
 * be settled, and only then returns: at most one request's deadline and `CLOSE_SECONDS`, also while the store is away.
 */
export const startDeliveryWorker = Effect.fnUntraced(function* (
  overrides: Partial<DeliveryWorkerOptions> = {}
): Effect.fn.Return<void, never, DeliveryWorkerPorts | Scope.Scope> {
  const options = { ...DELIVERY_WORKER_DEFAULTS, ...overrides }
  const deliveries = yield* DeliveryQueue
  const claims = new Set<string>()
  /** Has an element when this worker has written pending deliveries, however many. */
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
  const sender = yield* makeSender(options, settlements, (claimToken) => claims.delete(claimToken))
  yield* Effect.forkScoped(
    persistently(
      "Settling deliveries",
      Effect.tap(settlements.settleNext, () => Effect.sync(sender.settled))
    )
  )
  yield* Effect.forkScoped(sender.sweep)
  // A scope closes in reverse: what is forked below stops first, then this lets requests end, while what is forked above still renews
  // claims and writes outcomes.
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      yield* sender.stop
      yield* sender.idle
      const written = yield* Effect.timeoutOption(settlements.empty, `${CLOSE_SECONDS} seconds`)
      if (Option.isSome(written)) return
      yield* Effect.logError(`${settlements.size()} settlements could not be written: another worker sends them again`)
      yield* Effect.ignore(Effect.timeoutOption(settlements.giveUp, "1 second"))
    })
  )
  yield* Effect.forkScoped(yield* claimDeliveries({ options, sender, claims, pending }))
  yield* Effect.forkScoped(yield* dispatchEvents(options, sender))
})
