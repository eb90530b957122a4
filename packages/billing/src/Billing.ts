import { EventLog, FeedLog, Outbox, Signals, UnitOfWork } from "@agent-platform/kernel"
import { makeBind } from "@agent-platform/toolkit"
import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { CallLedger } from "./ports/CallLedger.ts"
import { PriceBook } from "./ports/PriceBook.ts"
import { PriceOverrideStore } from "./ports/PriceOverrideStore.ts"
import { RunCosts } from "./ports/RunCosts.ts"
import { WorkspaceCaps } from "./ports/WorkspaceCaps.ts"
import { expireReservations } from "./use-cases/expireReservations.ts"
import { findPrice } from "./use-cases/findPrice.ts"
import { prepareLedger } from "./use-cases/prepareLedger.ts"
import { mayBeginRuns, readMonth } from "./use-cases/readSpend.ts"
import { reserveCall } from "./use-cases/reserveCall.ts"
import { settleCall } from "./use-cases/settleCall.ts"

const make = Effect.gen(function* () {
  const bind = yield* makeBind(
    CallLedger,
    PriceBook,
    PriceOverrideStore,
    RunCosts,
    WorkspaceCaps,
    EventLog,
    FeedLog,
    Outbox,
    Signals,
    UnitOfWork,
    SecureRandom.SecureRandom
  )
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
  static readonly layer = Layer.effect(Billing, make)
}

/** The ports that an embedder provides. */
export type BillingPorts = Layer.Services<typeof Billing.layer>
