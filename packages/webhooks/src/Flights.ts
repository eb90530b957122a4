import type { Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { AttemptPorts } from "./Attempts.ts"
import type { ClaimedDelivery, ClaimRoom } from "./ports/DeliveryStore.ts"
import type { HandedOut } from "./use-cases/fanOutEvents.ts"

/** An exchange, or the room it waits for, is slow from here on: its delivery gets a row, and its event may go. */
export const SLOW_MILLIS = 1_000

/** How often slow ones are looked for, while anything is in flight or waits. */
export const SWEEP_MILLIS = 250

/** Exchanges in flight to a slow endpoint. */
export const SLOW_LANE_MAX = 4

/** And to one that is not known yet: an endpoint that hangs holds so many before it is known to. */
export const NEW_LANE_MAX = 4

/** Nothing new is sent while so much has ended and is not written: a killed worker's unwritten deliveries are sent again. */
export const UNSETTLED_MAX = 512

/** First attempts that wait in memory for room in their lanes, in all. */
export const WAITING_MAX = 4_096

/**
 * More events are taken once fewer first attempts wait than the one, for as many as make the other. It takes a few
 * milliseconds to get them, in which 300 are sent at most; and whatever waits longer than it must is copied again and again
 * by the collector of young objects.
 */
export const WAITING_FEW = 384
export const WAITING_ENOUGH = 1_024

/** How a worker's exchanges are bounded and made. */
export interface FlightOptions {
  readonly headerPrefix: string
  readonly inFlightMax: number
  readonly inFlightPerEndpointMax: number
  readonly leaseSeconds: number
}

/** The deliveries that a worker has in hand: in flight, or waiting for room in their lanes. */
export interface Flights {
  /** Takes up what an event came to. */
  readonly bring: (handedOut: HandedOut) => void
  /** What can be claimed now, `max` none at all when nothing can. */
  readonly room: () => Omit<ClaimRoom, "leaseSeconds">
  /** Attempts a claimed delivery, or answers false when its lane is full. */
  readonly receive: (claimed: ClaimedDelivery) => boolean
  /** Waits until there is room for more first attempts, and answers for how many. */
  readonly appetite: Effect.Effect<number>
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

/** What the deliveries in hand need. */
export type FlightPorts = AttemptPorts | SecureRandom.SecureRandom
