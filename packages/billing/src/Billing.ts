import {
  type EventLog,
  type FeedLog,
  type JobQueue,
  makeBind,
  type Signals,
  type UnitOfWork
} from "@agent-platform/kernel"
import { Context, Effect, Layer } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { CallLedger } from "./ports/CallLedger.ts"
import type { PriceBook } from "./ports/PriceBook.ts"
import type { PriceOverrideStore } from "./ports/PriceOverrideStore.ts"
import type { RunCosts } from "./ports/RunCosts.ts"
import type { WorkspaceCaps } from "./ports/WorkspaceCaps.ts"
import { expireReservations } from "./use-cases/expireReservations.ts"
import { findPrice } from "./use-cases/findPrice.ts"
import { prepareLedger } from "./use-cases/prepareLedger.ts"
import { mayBeginRuns, readMonth } from "./use-cases/readSpend.ts"
import { reserveCall } from "./use-cases/reserveCall.ts"
import { settleCall } from "./use-cases/settleCall.ts"

/** What an embedder provides. */
export type BillingPorts =
  | CallLedger
  | PriceBook
  | PriceOverrideStore
  | RunCosts
  | WorkspaceCaps
  | EventLog
  | FeedLog
  | JobQueue
  | Signals
  | UnitOfWork
  | SecureRandom.SecureRandom

const make = Effect.gen(function* () {
  const bind = makeBind(yield* Effect.context<BillingPorts>())
  return {
    findPrice: bind(findPrice),
    reserveCall: bind(reserveCall),
    settleCall: bind(settleCall),
    expireReservations: bind(expireReservations),
    prepareLedger: bind(prepareLedger),
    readMonth: bind(readMonth),
    mayBeginRuns: bind(mayBeginRuns)
  }
})

/** Prices, caps and the ledger of model calls: every use case, bound to its ports when the layer is built. */
export class Billing extends Context.Service<Billing, Effect.Success<typeof make>>()(
  "@agent-platform/billing/Billing"
) {
  static readonly layer: Layer.Layer<Billing, never, BillingPorts> = Layer.effect(Billing, make)
}
