import { type Egress, makeLine, type PlaceInLine, SecretBox } from "@agent-platform/kernel"
import { Cause, Clock, DateTime, Effect, Exit, FiberSet, Latch, Queue, type Scope } from "effect"
import { type Mac, SecureRandom } from "effect/crypto"
import { type AttemptOutcome, afterAttempt, isSuccess } from "./Delivery.ts"
import { makeEndpointSecrets } from "./EndpointSecrets.ts"
import { makeLanes } from "./Lanes.ts"
import type { ClaimedDelivery, ClaimRoom } from "./ports/DeliveryStore.ts"
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

/** A delivery that waits for room or, from when it has some, is in flight. */
interface Flight {
  readonly held: HeldDelivery
  /** Since when it waits, or is in flight. */
  sinceMillis: number
  slow: boolean
  /** Where it is among those in flight; undefined unless it is. */
  place: PlaceInLine<Flight> | undefined
}

/** How finely the jitter of a retry is drawn. */
const JITTER_STEPS = 1_000_000

interface Ended {
  readonly flight: Flight
  readonly outcome: Exit.Exit<AttemptOutcome>
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

/**
 * Nothing in flight. One fiber, until the scope closes, begins exchanges and takes in what they came to: they end by
 * callback, and what ended in one turn of the runtime is taken in together, before anything new begins. A fiber for each
 * delivery would cost as much as its exchange.
 */
export const makeFlights = Effect.fnUntraced(function* (
  options: FlightOptions,
  settlements: Pick<SettlementQueue, "add" | "size">,
  /** Is told which claims are left to lapse. */
  abandoned: (claimToken: string) => void
): Effect.fn.Return<Flights, never, FlightPorts | Scope.Scope> {
  const clock = yield* Clock.Clock
  const random = yield* SecureRandom.SecureRandom
  const secrets = makeEndpointSecrets(yield* SecretBox)
  const { headerPrefix } = options
  const run = yield* FiberSet.makeRuntime<FlightPorts>()
  const listeners: Array<Queue.Queue<void>> = []
  const lanes = makeLanes<Flight>({
    total: options.inFlightMax,
    perEndpoint: options.inFlightPerEndpointMax,
    perNewEndpoint: NEW_LANE_MAX,
    perSlowEndpoint: SLOW_LANE_MAX,
    waiting: WAITING_MAX
  })
  const flights = makeLine<Flight>()
  const toBegin: Array<Flight> = []
  const landing: Array<Ended> = []
  const work = yield* Latch.make(false)
  const nobody = yield* Latch.make(true)
  const somebody = yield* Latch.make(false)
  let looksAtAll = false
  let stopped = false

  const now = () => clock.currentTimeMillisUnsafe()

  const enter = (flight: Flight) => {
    flight.sinceMillis = now()
    flight.place = flights.join(flight)
    nobody.closeUnsafe()
  }

  const leave = (flight: Flight, succeeded: boolean | undefined) => {
    if (flight.place !== undefined) flights.leave(flight.place)
    flight.place = undefined
    flight.held.over = true
    lanes.leave(flight.held.sent.endpoint, succeeded, flight.slow)
    if (flights.size() === 0) nobody.openUnsafe()
  }

  /** What cannot even be attempted waits as long as a claim holds, which keeps it from spinning. */
  const failed = (flight: Flight, cause: Cause.Cause<unknown>) =>
    Effect.map(Effect.logError("A delivery could not be attempted", cause), () => {
      if (flight.place === undefined) return
      leave(flight, undefined)
      const { claimToken, event, sent } = flight.held
      if (claimToken !== undefined) return abandoned(claimToken)
      const nextAttemptAt = DateTime.makeUnsafe(now() + options.leaseSeconds * 1000)
      settlements.add({ kind: "unattempted", delivery: { ...sent.delivery, nextAttemptAt }, event })
    })

  const settle = (flight: Flight, outcome: AttemptOutcome, jitter: number) => {
    const { retryAfterSeconds, ...attempt } = outcome
    const delivery = afterAttempt(flight.held.sent.delivery, outcome, jitter)
    settlements.add({ kind: "attempt", held: flight.held, delivery, attempt })
    leave(flight, isSuccess(outcome.responseCode))
  }

  /** Takes in what an attempt came to; answers what that takes, which for a success is nothing. */
  const land = ({ flight, outcome }: Ended) => {
    if (Exit.isFailure(outcome)) return failed(flight, outcome.cause)
    if (!isSuccess(outcome.value.responseCode)) {
      return Effect.map(random.intBetween(0, JITTER_STEPS), (step) =>
        settle(flight, outcome.value, step / JITTER_STEPS)
      )
    }
    settle(flight, outcome.value, 0)
    return undefined
  }

  const begin = (flight: Flight) => {
    const { sent } = flight.held
    const attemptedAt = DateTime.makeUnsafe(now())
    const ended = (outcome: Exit.Exit<AttemptOutcome>) => {
      landing.push({ flight, outcome })
      work.openUnsafe()
    }
    const attempt = attemptDelivery({ sent, attemptedAt, ended }, { headerPrefix, secrets })
    if (secrets.known(sent.endpoint, attemptedAt) !== undefined) return attempt
    // Nobody waits until the secret of somebody else is opened.
    return Effect.sync(() =>
      run(Effect.catchCause(attempt, (cause) => Effect.sync(() => ended(Exit.failCause(cause)))))
    )
  }

  const takeWaiting = (looks: number | undefined) => {
    if (stopped || settlements.size() >= UNSETTLED_MAX) return undefined
    const flight = lanes.take(looks)
    if (flight !== undefined) enter(flight)
    return flight
  }

  let current: Flight | undefined

  const turn = Effect.gen(function* () {
    for (let one = landing.shift(); one !== undefined; one = landing.shift()) {
      current = one.flight
      const left = land(one)
      if (left !== undefined) yield* left
    }
    for (const listener of listeners) Queue.offerUnsafe(listener, undefined)
    const looks = looksAtAll ? Number.POSITIVE_INFINITY : undefined
    looksAtAll = false
    for (let next = toBegin.shift() ?? takeWaiting(looks); next !== undefined; ) {
      current = next
      yield* begin(next)
      next = toBegin.shift() ?? takeWaiting(looks)
    }
    current = undefined
    yield* work.await
    work.closeUnsafe()
    // Whatever else the runtime has to tell at this moment comes along.
    yield* Effect.yieldNow
  })

  yield* Effect.forkScoped(
    Effect.forever(
      Effect.catchCause(Effect.forever(turn), (cause) =>
        current === undefined || Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : failed(current, cause)
      )
    )
  )

  const putOff = ({ event, sent }: HeldDelivery) =>
    settlements.add({ kind: "unattempted", delivery: sent.delivery, event })

  const offer = (held: HeldDelivery) => {
    if (stopped) return putOff(held)
    if (!lanes.offer(held.sent.endpoint, { held, sinceMillis: now(), slow: false, place: undefined }))
      return putOff(held)
    somebody.openUnsafe()
  }

  const sweepOnce = () => {
    const before = now() - SLOW_MILLIS
    for (const flight of flights.items()) {
      if (flight.sinceMillis > before) break
      if (flight.slow) continue
      flight.slow = true
      lanes.slowed(flight.held.sent.endpoint)
      if (flight.held.claimToken === undefined) settlements.add({ kind: "underWay", held: flight.held })
    }
    for (const { held } of lanes.evict(({ sinceMillis }) => sinceMillis <= before)) putOff(held)
    looksAtAll = true
    work.openUnsafe()
  }

  return {
    bring: ({ dead, job, sendable }) => {
      const event: OpenEvent = { job, open: sendable.length + dead.length }
      if (event.open === 0) settlements.add({ kind: "nothing", event })
      for (const delivery of dead) settlements.add({ kind: "unattempted", delivery, event })
      for (const sent of sendable) offer({ sent, claimToken: undefined, event, over: false })
      work.openUnsafe()
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
      const held = { sent: claimed, claimToken: claimed.claimToken, event: undefined, over: false }
      const flight = { held, sinceMillis: 0, slow: false, place: undefined }
      enter(flight)
      toBegin.push(flight)
      somebody.openUnsafe()
      work.openUnsafe()
      return true
    },
    waiting: lanes.waiting,
    settled: () => void work.openUnsafe(),
    listen: Effect.gen(function* () {
      const listener = yield* Queue.sliding<void>(1)
      listeners.push(listener)
      return Queue.take(listener)
    }),
    sweep: Effect.forever(
      Effect.gen(function* () {
        if (flights.size() === 0 && lanes.waiting() === 0) {
          somebody.closeUnsafe()
          yield* somebody.await
        }
        yield* Effect.sleep(SWEEP_MILLIS)
        sweepOnce()
      })
    ),
    stop: Effect.sync(() => {
      stopped = true
      for (const { held } of lanes.evict(() => true)) putOff(held)
    }),
    landed: nobody.await
  }
})
