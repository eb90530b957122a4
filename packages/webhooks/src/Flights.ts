import { type Egress, inTrace, SecretBox, whileRunning } from "@agent-platform/kernel"
import { Clock, DateTime, Effect, FiberSet, Queue, type Scope } from "effect"
import { type Mac, SecureRandom } from "effect/crypto"
import { afterAttempt, isSuccess } from "./Delivery.ts"
import { makeLanes } from "./Lanes.ts"
import { deliveriesInFlight, measureAttempt } from "./measures.ts"
import type { ClaimedDelivery, ClaimRoom, SendableDelivery } from "./ports/DeliveryStore.ts"
import { rememberingSecrets } from "./rememberingSecrets.ts"
import type { HeldDelivery, OpenEvent, SettlementQueue } from "./SettlementQueue.ts"
import { attemptDelivery } from "./use-cases/attemptDelivery.ts"
import type { HandedOut } from "./use-cases/fanOutEvents.ts"

/** An exchange, or the room it waits for, is slow from here on: its delivery gets a row, and its event may go. */
export const SLOW_MILLIS = 1_000

/** How often slow ones are looked for, while anything is in flight or waits. */
const SWEEP_MILLIS = 250

/** Exchanges in flight to a slow endpoint. */
const SLOW_LANE_MAX = 4

/** And to one that is not known yet: an endpoint that hangs holds so many before it is known to. */
const NEW_LANE_MAX = 4

/** Nothing new is sent while so much has ended and is not written: a killed worker's unwritten deliveries are sent again. */
export const UNSETTLED_MAX = 512

/** First attempts that wait in memory for room in their lanes, in all. */
export const WAITING_MAX = 4_096

/** How a worker's exchanges are bounded and made. */
export interface FlightOptions {
  readonly headerPrefix: string
  readonly inFlightMax: number
  readonly inFlightPerEndpointMax: number
  readonly leaseSeconds: number
}

interface Waiting {
  readonly held: HeldDelivery
  readonly sinceMillis: number
}

interface Flight extends Waiting {
  slow: boolean
}

/** The deliveries that a worker has in hand: in flight, or waiting for room in their lanes. */
export interface Flights {
  /** Takes up what an event came to. */
  readonly bring: (handedOut: HandedOut) => void
  /** What can be claimed now, `max` none at all when nothing can. */
  readonly room: () => Omit<ClaimRoom, "leaseSeconds">
  /** Attempts a claimed delivery, or answers false when its lane is full. */
  readonly receive: (claimed: ClaimedDelivery) => boolean
  /** How many wait in memory. */
  readonly waiting: () => number
  /** Listens to ends: the effect it answers waits for the next one that came after it was last run. */
  readonly listen: Effect.Effect<Effect.Effect<void>>
  /** Looks for what has become slow, again and again. */
  readonly sweep: Effect.Effect<never>
  /** To be called when something has been written: there may be room for more. */
  readonly settled: () => void
  /** Starts nothing new: what waits is written to be attempted later, by whoever claims it. */
  readonly stop: Effect.Effect<void>
  /** Waits until nothing is in flight. */
  readonly landed: Effect.Effect<void>
}

/** What an attempt needs. */
export type FlightPorts = Egress | Mac.Mac | SecretBox | SecureRandom.SecureRandom

const attributesOf = ({ delivery }: SendableDelivery) => ({
  event_id: delivery.eventId,
  event_type: delivery.eventType,
  endpoint_id: delivery.endpointId
})

/** Nothing in flight. Closing the scope interrupts what is. */
export const makeFlights = Effect.fnUntraced(function* (
  options: FlightOptions,
  settlements: Pick<SettlementQueue, "add" | "size">,
  /** Is told which claims are left to lapse. */
  abandoned: (claimToken: string) => void
): Effect.fn.Return<Flights, never, FlightPorts | Scope.Scope> {
  const clock = yield* Clock.Clock
  const random = yield* SecureRandom.SecureRandom
  const secrets = rememberingSecrets(yield* SecretBox)
  const fibers = yield* FiberSet.make()
  const run = yield* FiberSet.runtime(fibers)<FlightPorts>()
  const listeners: Array<Queue.Queue<void>> = []
  const begun = yield* Queue.sliding<void>(1)
  const lanes = makeLanes<Waiting>({
    total: options.inFlightMax,
    perEndpoint: options.inFlightPerEndpointMax,
    perNewEndpoint: NEW_LANE_MAX,
    perSlowEndpoint: SLOW_LANE_MAX,
    waiting: WAITING_MAX
  })
  const flights = new Set<Flight>()
  let stopped = false

  const now = () => clock.currentTimeMillisUnsafe()

  const land = (flight: Flight, succeeded: boolean | undefined) => {
    flights.delete(flight)
    flight.held.over = true
    lanes.leave(flight.held.sent.endpoint, succeeded, flight.slow)
    pump()
    for (const listener of listeners) Queue.offerUnsafe(listener, undefined)
  }

  const attempt = Effect.fnUntraced(function* (flight: Flight) {
    const { sent } = flight.held
    const { retryAfterSeconds, ...made } = yield* attemptDelivery(sent, options).pipe(
      whileRunning(deliveriesInFlight),
      inTrace("webhooks.attempt", { trace: sent.trace, kind: "client", attributes: attributesOf(sent) })
    )
    const succeeded = isSuccess(made.responseCode)
    const jitter = succeeded ? 0 : (yield* random.intBetween(0, 1_000_000)) / 1_000_000
    const delivery = afterAttempt(sent.delivery, { retryAfterSeconds, ...made }, jitter)
    yield* measureAttempt(made, delivery)
    settlements.add({ kind: "attempt", held: flight.held, delivery, attempt: made })
    land(flight, succeeded)
  })

  /** What cannot even be attempted waits as long as a claim holds, which keeps it from spinning. */
  const failed = (flight: Flight) => {
    const { event, sent } = flight.held
    if (!flights.has(flight)) return
    land(flight, undefined)
    if (flight.held.claimToken !== undefined) return abandoned(flight.held.claimToken)
    const nextAttemptAt = DateTime.makeUnsafe(now() + options.leaseSeconds * 1000)
    settlements.add({ kind: "unattempted", delivery: { ...sent.delivery, nextAttemptAt }, event })
  }

  const launch = (held: HeldDelivery) => {
    const flight: Flight = { held, sinceMillis: now(), slow: false }
    flights.add(flight)
    Queue.offerUnsafe(begun, undefined)
    run(
      attempt(flight).pipe(
        Effect.provideService(SecretBox, secrets),
        Effect.catchCause((cause) =>
          Effect.andThen(
            Effect.logError("A delivery could not be attempted", cause),
            Effect.sync(() => failed(flight))
          )
        )
      )
    )
  }

  const pump = (looks?: number) => {
    if (stopped) return
    while (settlements.size() < UNSETTLED_MAX) {
      const next = lanes.take(looks)
      if (next === undefined) return
      launch(next.held)
    }
  }

  const putOff = ({ event, sent }: HeldDelivery) =>
    settlements.add({ kind: "unattempted", delivery: sent.delivery, event })

  const offer = (held: HeldDelivery) => {
    if (stopped) return putOff(held)
    if (!lanes.offer(held.sent.endpoint, { held, sinceMillis: now() })) return putOff(held)
    Queue.offerUnsafe(begun, undefined)
  }

  const sweepOnce = () => {
    const before = now() - SLOW_MILLIS
    for (const flight of flights) {
      if (flight.sinceMillis > before) break
      if (flight.slow) continue
      flight.slow = true
      lanes.slowed(flight.held.sent.endpoint)
      if (flight.held.claimToken === undefined) settlements.add({ kind: "underWay", held: flight.held })
    }
    for (const { held } of lanes.evict(({ sinceMillis }) => sinceMillis <= before)) putOff(held)
    pump(Number.POSITIVE_INFINITY)
  }

  return {
    bring: ({ dead, job, sendable }) => {
      const event: OpenEvent = { job, open: sendable.length + dead.length }
      if (event.open === 0) settlements.add({ kind: "nothing", event })
      for (const delivery of dead) settlements.add({ kind: "unattempted", delivery, event })
      for (const sent of sendable) offer({ sent, claimToken: undefined, event, over: false })
      pump()
    },
    room: () => {
      const free = lanes.free()
      return {
        max: stopped || settlements.size() >= UNSETTLED_MAX ? 0 : free,
        perEndpoint: Math.min(NEW_LANE_MAX, options.inFlightPerEndpointMax),
        perOrganization: Math.ceil(free / 2),
        rooms: lanes.rooms()
      }
    },
    receive: (claimed) => {
      if (stopped || lanes.room(claimed.endpoint) === 0) return false
      lanes.enter(claimed.endpoint)
      launch({ sent: claimed, claimToken: claimed.claimToken, event: undefined, over: false })
      return true
    },
    waiting: lanes.waiting,
    settled: () => pump(),
    listen: Effect.gen(function* () {
      const listener = yield* Queue.sliding<void>(1)
      listeners.push(listener)
      return Queue.take(listener)
    }),
    sweep: Effect.forever(
      Effect.gen(function* () {
        if (flights.size === 0 && lanes.waiting() === 0) yield* Queue.take(begun)
        yield* Effect.sleep(SWEEP_MILLIS)
        sweepOnce()
      })
    ),
    stop: Effect.sync(() => {
      stopped = true
      for (const { held } of lanes.evict(() => true)) putOff(held)
    }),
    landed: FiberSet.awaitEmpty(fibers)
  }
})
