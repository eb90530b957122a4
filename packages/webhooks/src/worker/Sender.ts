import type { Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { ClaimedDelivery, ClaimLimits } from "../ports/DeliveryQueue.ts"
import type { HandedOut } from "../use-cases/fanOutEvents.ts"
import type { AttemptPorts } from "./Attempts.ts"
import type { DeliveryWorkerOptions } from "./DeliveryWorker.ts"

/** How a worker's requests are bounded and made. */
export type SenderOptions = Omit<DeliveryWorkerOptions, "renewSeconds" | "pollSeconds">

/** Sends the deliveries that a worker holds, within its limits. */
export interface Sender {
  /** Takes up an event's deliveries. Those above the limit wait in their endpoint's queue. */
  readonly dispatch: (handedOut: HandedOut) => void
  /** How much may be claimed now; `max` is 0 while nothing may. */
  readonly claimLimits: () => Omit<ClaimLimits, "leaseSeconds">
  /** Attempts a claimed delivery, or answers false when its endpoint is at its limit. */
  readonly accept: (claimed: ClaimedDelivery) => boolean
  /** Waits until there is demand for more first attempts, and answers for how many. */
  readonly demand: Effect.Effect<number>
  /** Listens to ends: the effect it answers waits for the next one that came after it was last run. */
  readonly listen: Effect.Effect<Effect.Effect<void>>
  /** Looks for what has become slow, again and again. */
  readonly sweep: Effect.Effect<never>
  /** To be called when something has been written: more may be sent now. */
  readonly settled: () => void
  /** Starts nothing new: what waits is written to be attempted later, by a worker that claims it. */
  readonly stop: Effect.Effect<void>
  /** Waits until nothing is in flight. */
  readonly idle: Effect.Effect<void>
}

export type SenderPorts = AttemptPorts | SecureRandom.SecureRandom
