import { makeLine, makeMeter, type PlaceInLine, persistently } from "@agent-platform/kernel"
import { Cause, Clock, Effect, Exit, Latch, Queue, type Scope } from "effect"
import { SecureRandom } from "effect/crypto"
import { makeAttempts } from "./Attempts.ts"
import type { AttemptOutcome } from "./Delivery.ts"
import {
  type FlightOptions,
  type FlightPorts,
  type Flights,
  NEW_LANE_MAX,
  SLOW_LANE_MAX,
  SLOW_MILLIS,
  SWEEP_MILLIS,
  UNSETTLED_MAX,
  WAITING_ENOUGH,
  WAITING_FEW,
  WAITING_MAX
} from "./Flights.ts"
import { makeLanes } from "./Lanes.ts"
import { makeLandings } from "./landings.ts"
import { deliveriesInFlight } from "./measures.ts"
import type { HeldDelivery, OpenEvent, SettlementQueue } from "./SettlementQueue.ts"

/** So many exchanges are begun before whatever else the runtime has to do. */
const BEGUN_AT_ONCE = 128

/** A delivery that waits for room or, from when it has some, is in flight. */
interface Flight {
  readonly held: HeldDelivery
  /** Since when it waits, or is in flight. */
  sinceMillis: number
  slow: boolean
  /** Where it is among those in flight; undefined unless it is. */
  place: PlaceInLine<Flight> | undefined
}

interface Ended {
  readonly flight: Flight
  readonly outcome: Exit.Exit<AttemptOutcome>
}

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
  const meter = yield* makeMeter
  const landings = makeLandings({ meter, settlements, random, abandoned, leaseSeconds: options.leaseSeconds })
  const attempts = yield* makeAttempts(options.headerPrefix)
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
  const hungry = yield* Latch.make(true)
  let looksAtAll = false
  let stopped = false
  /** How many in flight operators were told of. */
  let told = 0

  const now = () => clock.currentTimeMillisUnsafe()

  const tellHunger = () => {
    if (lanes.waiting() < WAITING_FEW && settlements.size() < UNSETTLED_MAX) hungry.openUnsafe()
    else hungry.closeUnsafe()
  }

  /** Once a turn and not for each: telling takes as long as all else that is done when one enters. */
  const tellFlights = () => {
    if (flights.size() !== told) meter.add(deliveriesInFlight, flights.size() - told)
    told = flights.size()
  }

  const enter = (flight: Flight) => {
    flight.sinceMillis = now()
    flight.place = flights.join(flight)
    nobody.closeUnsafe()
  }

  const leave = (flight: Flight, succeeded: boolean | undefined) => {
    if (flight.place !== undefined) {
      flights.leave(flight.place)
      flight.place = undefined
    }
    flight.held.over = true
    lanes.leave(flight.held.sent.endpoint, succeeded, flight.slow)
    if (flights.size() > 0) return
    tellFlights()
    nobody.openUnsafe()
  }

  // What has ended leaves only when what it came to waits to be written: a closing worker waits for the one, then the other.
  const failed = (flight: Flight, cause: Cause.Cause<unknown>) =>
    Effect.map(landings.unattempted(flight.held, cause), () => leave(flight, undefined))

  const land = ({ flight, outcome }: Ended) => {
    if (Exit.isFailure(outcome)) return failed(flight, outcome.cause)
    const left = landings.attempted(flight.held, outcome.value)
    if (left !== undefined) return Effect.map(left, () => leave(flight, false))
    leave(flight, true)
    return undefined
  }

  const begin = (flight: Flight) =>
    attempts.begin(flight.held.sent, (outcome) => {
      landing.push({ flight, outcome })
      work.openUnsafe()
    })

  const takeWaiting = (looks: number | undefined) => {
    if (stopped || settlements.size() >= UNSETTLED_MAX) return undefined
    const flight = lanes.take(looks)
    if (flight !== undefined) enter(flight)
    return flight
  }

  let current: Flight | undefined

  const turn = Effect.gen(function* () {
    for (let one = landing.shift(); one !== undefined; one = landing.shift()) {
      if (one.flight.place === undefined) continue
      current = one.flight
      const left = land(one)
      if (left !== undefined) yield* left
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
    tellFlights()
    tellHunger()
    yield* work.await
    work.closeUnsafe()
    // Whatever else the runtime has to tell at this moment comes along.
    yield* Effect.yieldNow
  })

  yield* Effect.forkScoped(
    persistently(
      "Attempting deliveries",
      Effect.catchCause(turn, (cause) =>
        current?.place === undefined || Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : failed(current, cause)
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
    bring: ({ dead, event: taken, sendable }) => {
      const event: OpenEvent = { taken, open: sendable.length + dead.length }
      if (event.open === 0) settlements.add({ kind: "nothing", event })
      for (const delivery of dead) settlements.add({ kind: "unattempted", delivery, event })
      for (const sent of sendable) offer({ sent, claimToken: undefined, event, over: false })
      tellHunger()
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
    appetite: Effect.map(hungry.await, () => WAITING_ENOUGH - lanes.waiting()),
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
