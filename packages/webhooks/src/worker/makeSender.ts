import { makeLinkedList, makeMeter, persistently } from "@agent-platform/toolkit"
import { Cause, Clock, Effect, Exit, Latch, Queue, type Scope } from "effect"
import { SecureRandom } from "effect/crypto"
import type { AttemptOutcome } from "../Delivery.ts"
import { deliveriesInFlight } from "../measures.ts"
import { makeAttempts } from "./Attempts.ts"
import { makeEndpointLimiter } from "./EndpointLimiter.ts"
import { makeEndpointQueues } from "./EndpointQueues.ts"
import { type HeldDelivery, heldDelivery, type OpenEvent } from "./HeldDelivery.ts"
import {
  BEGUN_AT_ONCE,
  NEW_ENDPOINT_MAX,
  SLOW_ENDPOINT_MAX,
  SLOW_MILLIS,
  SWEEP_MILLIS,
  UNSETTLED_MAX,
  WAITING_ENOUGH,
  WAITING_FEW,
  WAITING_MAX
} from "./limits.ts"
import { makeOutcomes } from "./outcomes.ts"
import type { Sender, SenderOptions, SenderPorts } from "./Sender.ts"
import type { SettlementQueue } from "./SettlementQueue.ts"

interface Ended {
  readonly held: HeldDelivery
  readonly outcome: Exit.Exit<AttemptOutcome>
}

/**
 * A sender with nothing in flight. One fiber, until the scope closes, begins requests and takes in their outcomes. They end by
 * callback, and all that ended in one turn of the runtime is taken in before anything new begins. A fiber for each delivery would
 * cost as much as its request.
 */
export const makeSender = Effect.fnUntraced(function* (
  options: SenderOptions,
  settlements: Pick<SettlementQueue, "add" | "size">,
  /** Called with each claim that is left to lapse. */
  abandoned: (claimToken: string) => void
): Effect.fn.Return<Sender, never, SenderPorts | Scope.Scope> {
  const clock = yield* Clock.Clock
  const random = yield* SecureRandom.SecureRandom
  const meter = yield* makeMeter
  const { leaseSeconds, retryDelaysSeconds } = options
  const outcomes = makeOutcomes({ meter, settlements, random, abandoned, leaseSeconds, retryDelaysSeconds })
  const attempts = yield* makeAttempts(options.headerPrefix, options.userAgent)
  const limiter = makeEndpointLimiter<HeldDelivery>({
    total: options.inFlightMax,
    perEndpoint: options.inFlightPerEndpointMax,
    perNewEndpoint: NEW_ENDPOINT_MAX,
    perSlowEndpoint: SLOW_ENDPOINT_MAX
  })
  const queues = makeEndpointQueues(limiter, WAITING_MAX)
  const inFlight = makeLinkedList<HeldDelivery>()
  const toBegin: Array<HeldDelivery> = []
  const ended: Array<Ended> = []
  const listeners: Array<Queue.Queue<void>> = []
  // Each is open while its name is true: there is work for the next turn, nothing is in flight, something is in flight or
  // waits for its turn (which the sweep looks at), and more first attempts are wanted.
  const work = yield* Latch.make(false)
  const idle = yield* Latch.make(true)
  const holding = yield* Latch.make(false)
  const demand = yield* Latch.make(true)
  /** Whether the next turn looks at every queue, as it does after a sweep; any other looks at some. */
  let looksAtAll = false
  let stopped = false
  /** How many in flight the gauge shows. */
  let shown = 0
  meter.add(deliveriesInFlight, 0)

  const now = () => clock.currentTimeMillisUnsafe()

  /** Back-pressure: what is unwritten, and what waits already, keep more events from being taken. */
  const updateDemand = () => {
    if (queues.waiting() < WAITING_FEW && settlements.size() < UNSETTLED_MAX) demand.openUnsafe()
    else demand.closeUnsafe()
  }

  /** Called once a turn: for each delivery it would cost as much as all else that is done when the delivery enters. */
  const showInFlight = () => {
    if (inFlight.size() !== shown) meter.add(deliveriesInFlight, inFlight.size() - shown)
    shown = inFlight.size()
  }

  const enter = (held: HeldDelivery) => {
    held.sinceMillis = now()
    held.node = inFlight.add(held)
    idle.closeUnsafe()
  }

  /** `succeeded` is undefined when nothing was tried. */
  const leave = (held: HeldDelivery, succeeded: boolean | undefined) => {
    if (held.node !== undefined) inFlight.remove(held.node)
    held.node = undefined
    held.hasEnded = true
    limiter.leave(held.sent.endpoint, succeeded, held.isSlow)
    if (inFlight.size() > 0) return
    showInFlight()
    idle.openUnsafe()
  }

  // A delivery leaves only when its outcome waits to be written: a closing worker waits for `idle`, and then for what is
  // to be written.
  const unattempted = (held: HeldDelivery, cause: Cause.Cause<unknown>) =>
    Effect.map(outcomes.unattempted(held, cause), () => leave(held, undefined))

  /** Takes in an outcome, and returns the effect that is still to be run for it, if any. */
  const takeIn = ({ held, outcome }: Ended) => {
    if (Exit.isFailure(outcome)) return unattempted(held, outcome.cause)
    const rest = outcomes.attempted(held, outcome.value)
    if (rest !== undefined) return Effect.map(rest, () => leave(held, false))
    leave(held, true)
    return undefined
  }

  const begin = (held: HeldDelivery) =>
    attempts.begin(held.sent, (outcome) => {
      ended.push({ held, outcome })
      work.openUnsafe()
    })

  const takeWaiting = (looks: number | undefined) => {
    if (stopped || settlements.size() >= UNSETTLED_MAX) return undefined
    const held = queues.take(looks)
    if (held !== undefined) enter(held)
    return held
  }

  /** The delivery that the turn is busy with: a defect of the turn is its outcome. */
  let current: HeldDelivery | undefined

  const turn = Effect.gen(function* () {
    for (let one = ended.shift(); one !== undefined; one = ended.shift()) {
      // It has left already if a defect ended a turn that was busy with it.
      if (one.held.node === undefined) continue
      current = one.held
      const rest = takeIn(one)
      if (rest !== undefined) yield* rest
    }
    for (const listener of listeners) Queue.offerUnsafe(listener, undefined)
    const looks = looksAtAll ? Number.POSITIVE_INFINITY : undefined
    looksAtAll = false
    let begun = 0
    for (let next = toBegin.shift() ?? takeWaiting(looks); next !== undefined; begun++) {
      // Renewals and settlements have their turn as well.
      if (begun > 0 && begun % BEGUN_AT_ONCE === 0) yield* Effect.yieldNow
      current = next
      begin(next)
      next = toBegin.shift() ?? takeWaiting(looks)
    }
    current = undefined
    showInFlight()
    updateDemand()
    yield* work.await
    work.closeUnsafe()
    // Other callbacks of this turn are taken in together with this one.
    yield* Effect.yieldNow
  })

  yield* Effect.forkScoped(
    persistently(
      "Attempting deliveries",
      Effect.catchCause(turn, (cause) =>
        current?.node === undefined || Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : unattempted(current, cause)
      )
    )
  )

  /** Has a delivery written as a pending row, for any worker to claim. */
  const putOff = ({ event, sent }: HeldDelivery) =>
    settlements.add({ kind: "unattempted", delivery: sent.delivery, event })

  const enqueue = (held: HeldDelivery) => {
    if (stopped || !queues.offer(held.sent.endpoint, held)) return putOff(held)
    holding.openUnsafe()
  }

  const sweepOnce = () => {
    const before = now() - SLOW_MILLIS
    for (const held of inFlight.items()) {
      if (held.sinceMillis > before) break
      if (held.isSlow) continue
      held.isSlow = true
      limiter.slowed(held.sent.endpoint)
      if (held.claimToken === undefined) settlements.add({ kind: "underWay", held })
    }
    for (const held of queues.evict(({ sinceMillis }) => sinceMillis <= before)) putOff(held)
    looksAtAll = true
    work.openUnsafe()
  }

  return {
    dispatch: ({ dead, event: taken, sendable }) => {
      const event: OpenEvent = { taken, open: sendable.length + dead.length }
      if (event.open === 0) settlements.add({ kind: "nothing", event })
      for (const delivery of dead) settlements.add({ kind: "unattempted", delivery, event })
      for (const sent of sendable) enqueue(heldDelivery(sent, { event }, now()))
      updateDemand()
      work.openUnsafe()
    },
    claimLimits: () => {
      const free = limiter.free()
      return {
        max: stopped || settlements.size() >= UNSETTLED_MAX ? 0 : free,
        // As much as the limiter gives an endpoint that it does not know and an organization that is alone. `accept` checks the rest.
        perEndpoint: Math.min(NEW_ENDPOINT_MAX, options.inFlightPerEndpointMax),
        perOrganization: Math.ceil(free / 2),
        endpointLimits: limiter.endpointLimits()
      }
    },
    accept: (claimed) => {
      if (stopped || limiter.available(claimed.endpoint) === 0) return false
      limiter.enter(claimed.endpoint)
      const held = heldDelivery(claimed, claimed, now())
      enter(held)
      toBegin.push(held)
      holding.openUnsafe()
      work.openUnsafe()
      return true
    },
    demand: Effect.map(demand.await, () => WAITING_ENOUGH - queues.waiting()),
    settled: () => void work.openUnsafe(),
    listen: Effect.gen(function* () {
      const listener = yield* Queue.sliding<void>(1)
      listeners.push(listener)
      return Queue.take(listener)
    }),
    sweep: Effect.forever(
      Effect.gen(function* () {
        if (inFlight.size() === 0 && queues.waiting() === 0) {
          holding.closeUnsafe()
          yield* holding.await
        }
        yield* Effect.sleep(SWEEP_MILLIS)
        sweepOnce()
      })
    ),
    stop: Effect.sync(() => {
      stopped = true
      for (const held of queues.evict(() => true)) putOff(held)
    }),
    idle: idle.await
  }
})
