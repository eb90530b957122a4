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
  /** How many deliveries may be claimed now; `max` is 0 while none may. */
  readonly claimLimits: () => Omit<ClaimLimits, "leaseSeconds">
  /** Attempts a claimed delivery, or returns false when its endpoint is at its limit or the sender has stopped. */
  readonly accept: (claimed: ClaimedDelivery) => boolean
  /** Waits until there is demand for more first attempts, and returns for how many: always some. */
  readonly demand: Effect.Effect<number>
  /** Listens to ends of attempts: the effect it returns waits for the sender's next turn, in which they are taken in. */
  readonly listen: Effect.Effect<Effect.Effect<void>>
  /** Looks for deliveries that have become slow, for ever. */
  readonly sweep: Effect.Effect<never>
  /** To be called when something has been written: more may be sent now. */
  readonly settled: () => void
  /** Starts nothing new: deliveries that wait are written as pending rows, for any worker to claim. */
  readonly stop: Effect.Effect<void>
  /** Waits until nothing is in flight. */
  readonly idle: Effect.Effect<void>
}

export type SenderPorts = AttemptPorts | SecureRandom.SecureRandom
