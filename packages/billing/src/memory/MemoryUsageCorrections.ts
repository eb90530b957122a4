import type { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect, Layer } from "effect"
import { isWithin } from "../BillingMonth.ts"
import { UsageCorrections } from "../ports/UsageCorrections.ts"
import { ledgerRows } from "./ledgerRows.ts"

/** Corrections over a `MemoryDatabase`. */
export const layerUsageCorrections: Layer.Layer<UsageCorrections, never, MemoryDatabase> = Layer.effect(
  UsageCorrections,
  Effect.map(ledgerRows, ({ corrections, pricedCalls }) =>
    UsageCorrections.of({
      // Transactions of a `MemoryDatabase` run one after another.
      hold: () => Effect.void,
      calls: (workspaceId, { model, provider, span }, { after, limit }) =>
        Effect.map(pricedCalls(workspaceId), (calls) =>
          calls
            .filter((call) => call.provider === provider && call.requestModel === model)
            .filter(({ calledAt, id }) => isWithin(span, calledAt) && (after === undefined || id > after))
            .sort((one, other) => (one.id < other.id ? -1 : 1))
            .slice(0, limit)
        ),
      insert: (added) =>
        Effect.forEach(added, (one) => corrections.put(`${one.workspaceId} ${one.id}`, one), { discard: true })
    })
  )
)
