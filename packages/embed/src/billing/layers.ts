/** The domain over memory or Postgres, with all that it needs. */
import { Billing, PriceBook, PriceOverrideStore, RunCosts, WorkspaceCaps } from "@agent-platform/billing"
import { layer as storesMemory } from "@agent-platform/billing/memory"
import { EventLog, FeedLog, Outbox } from "@agent-platform/kernel"
import { layer as kernelMemory } from "@agent-platform/kernel/memory"
import { PgCallLedger, PgSignals, PgUnitOfWork } from "@agent-platform/postgres"
import { DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { layerStores } from "../internal/database.ts"
import { layerLog } from "../internal/runtime.ts"
import { Caps, layerMemory as capsMemory, layerPostgres as capsPostgres } from "./Caps.ts"
import type { BillingSettings } from "./options.ts"

/** The month in UTC that this time is in. */
export const monthAt = (at: DateTime.Utc) => {
  const start = DateTime.startOf(at, "month")
  return { month: DateTime.formatIso(start).slice(0, 7), period: { start, end: DateTime.add(start, { months: 1 }) } }
}

// A host learns of caps by refusals and by `spend`, so there are no events and no feeds. It has no runs of ours that get costs.
const unused = Layer.mergeAll(
  FeedLog.layerNone,
  EventLog.layerNone,
  Outbox.layerNone,
  Layer.succeed(RunCosts, { add: () => Effect.void }),
  Layer.succeed(PriceOverrideStore, {
    insert: () => Effect.die(new Error("Prices are those of the options")),
    remove: () => Effect.succeed(undefined),
    findFor: () => Effect.succeed([]),
    list: () => Effect.succeed([])
  })
)

/** The cap of a workspace, which is a customer here: its own, or else the default. */
const caps = (defaultCapUsd: string | null) =>
  Layer.effect(
    WorkspaceCaps,
    Effect.map(Caps, ({ own }) => ({
      read: (_organizationId, workspaceId, at) =>
        Effect.map(own(workspaceId), (capUsd) => ({
          monthlyCapUsd: capUsd === undefined ? defaultCapUsd : capUsd,
          ...monthAt(at)
        }))
    }))
  )

const postgres = Layer.mergeAll(PgCallLedger.layer, PgSignals.layer, PgUnitOfWork.layer, capsPostgres)

const memory = Layer.provideMerge(Layer.merge(storesMemory, capsMemory), kernelMemory)

/** Everything that the entry point runs. */
export const layerOf = ({ capUsd, installation, log, prices }: BillingSettings) =>
  Billing.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        unused,
        caps(capUsd),
        Layer.succeed(PriceBook, { find: (_provider, model) => Effect.sync(() => prices.get(model)) }),
        SecureRandom.layerWebCrypto
      )
    ),
    Layer.provideMerge(layerStores(installation, memory, postgres)),
    Layer.provideMerge(layerLog(log))
  )
