/** What was used and what it cost: every reading, bound to its ports when the layer is built. */
import { type FeedLog, makeBind, type UnitOfWork } from "@agent-platform/kernel"
import { Context, Effect, Layer } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { CallLedger } from "./ports/CallLedger.ts"
import type { PriceBook } from "./ports/PriceBook.ts"
import type { PriceOverrideStore } from "./ports/PriceOverrideStore.ts"
import type { RollUpStore } from "./ports/RollUpStore.ts"
import type { RunHistory } from "./ports/RunHistory.ts"
import type { UsageCorrections } from "./ports/UsageCorrections.ts"
import type { UsageReadings } from "./ports/UsageReadings.ts"
import type { WorkspaceCalendars } from "./ports/WorkspaceCalendars.ts"
import type { WorkspaceCaps } from "./ports/WorkspaceCaps.ts"
import { readBillingMonth } from "./use-cases/analytics/readBillingMonth.ts"
import { readHourlyUsage } from "./use-cases/analytics/readHourlyUsage.ts"
import { listRunRequests, readRunCosts } from "./use-cases/analytics/readRunCosts.ts"
import { readUsage } from "./use-cases/analytics/readUsage.ts"
import { rerateUsage } from "./use-cases/analytics/rerateUsage.ts"

/** What an embedder provides. */
export type AnalyticsPorts =
  | PriceBook
  | PriceOverrideStore
  | FeedLog
  | UnitOfWork
  | SecureRandom.SecureRandom
  | UsageCorrections
  | RunHistory
  | CallLedger
  | RollUpStore
  | UsageReadings
  | WorkspaceCalendars
  | WorkspaceCaps

const make = Effect.gen(function* () {
  const bind = makeBind(yield* Effect.context<AnalyticsPorts>())
  return {
    readUsage: bind(readUsage),
    readHourlyUsage: bind(readHourlyUsage),
    readBillingMonth: bind(readBillingMonth),
    readRunCosts: bind(readRunCosts),
    listRunRequests: bind(listRunRequests),
    rerateUsage: bind(rerateUsage)
  }
})

/** The five readings, and what corrects them. What keeps their roll-ups is `startRollUpWorker`. */
export class Analytics extends Context.Service<Analytics, Effect.Success<typeof make>>()(
  "@agent-platform/billing/Analytics"
) {
  static readonly layer: Layer.Layer<Analytics, never, AnalyticsPorts> = Layer.effect(Analytics, make)
}
