/** Usage and its cost: every reading, bound to its ports when the layer is built. */
import { FeedLog, UnitOfWork } from "@agent-platform/kernel"
import { makeBind } from "@agent-platform/toolkit"
import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { AgentNames } from "./ports/AgentNames.ts"
import { CallLedger } from "./ports/CallLedger.ts"
import { PriceBook } from "./ports/PriceBook.ts"
import { PriceOverrideStore } from "./ports/PriceOverrideStore.ts"
import { RollUpStore } from "./ports/RollUpStore.ts"
import { RunSummaries } from "./ports/RunSummaries.ts"
import { UsageCorrections } from "./ports/UsageCorrections.ts"
import { UsageReadings } from "./ports/UsageReadings.ts"
import { WorkspaceCalendars } from "./ports/WorkspaceCalendars.ts"
import { WorkspaceCaps } from "./ports/WorkspaceCaps.ts"
import { readBillingMonth } from "./use-cases/analytics/readBillingMonth.ts"
import { readHourlyUsage } from "./use-cases/analytics/readHourlyUsage.ts"
import { listRunRequests, readRunCosts } from "./use-cases/analytics/readRunCosts.ts"
import { readUsage } from "./use-cases/analytics/readUsage.ts"
import { rerateUsage } from "./use-cases/analytics/rerateUsage.ts"

const make = Effect.gen(function* () {
  const bind = yield* makeBind(
    AgentNames,
    PriceBook,
    PriceOverrideStore,
    FeedLog,
    UnitOfWork,
    SecureRandom.SecureRandom,
    UsageCorrections,
    RunSummaries,
    CallLedger,
    RollUpStore,
    UsageReadings,
    WorkspaceCalendars,
    WorkspaceCaps
  )
  return {
    readUsage: bind(readUsage),
    readHourlyUsage: bind(readHourlyUsage),
    readBillingMonth: bind(readBillingMonth),
    readRunCosts: bind(readRunCosts),
    listRunRequests: bind(listRunRequests),
    rerateUsage: bind(rerateUsage)
  }
})

/** The five readings, and corrections of prices. The roll-ups that they read are made by `startRollUpWorker`. */
export class Analytics extends Context.Service<Analytics, Effect.Success<typeof make>>()(
  "@agent-platform/billing/Analytics"
) {
  static readonly layer = Layer.effect(Analytics, make)
}

/** The ports that an embedder provides. */
export type AnalyticsPorts = Layer.Services<typeof Analytics.layer>
