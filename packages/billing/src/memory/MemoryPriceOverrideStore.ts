import { layerMemory } from "@agent-platform/kernel/memory"
import { type DateTime, Effect, Order } from "effect"
import { byBeginning, type PriceOverride } from "../PriceOverride.ts"
import { PriceOverrideStore } from "../ports/PriceOverrideStore.ts"

interface Row {
  readonly override: PriceOverride
  readonly removedAt: DateTime.Utc | null
}

const byModel = Order.combineAll<PriceOverride>([
  Order.mapInput(Order.String, ({ provider }) => provider),
  Order.mapInput(Order.String, ({ model }) => model),
  byBeginning
])

/** Prices over a `MemoryDatabase`. */
export const layerPriceOverrideStore = layerMemory(PriceOverrideStore)((database) => {
  const rows = database.table<Row>("price_override")
  const living = Effect.map(rows.all, (all) =>
    all.filter(({ removedAt }) => removedAt === null).map(({ override }) => override)
  )
  return {
    insert: (override) => rows.put(override.id, { override, removedAt: null }),
    remove: Effect.fnUntraced(function* (id, at) {
      const row = yield* rows.get(id)
      if (row === undefined || row.removedAt !== null) return undefined
      yield* rows.put(id, { ...row, removedAt: at })
      return row.override
    }),
    findFor: (workspaceId, provider, model) =>
      Effect.map(living, (all) =>
        all.filter(
          (one) =>
            one.provider === provider &&
            one.model === model &&
            (one.scope === null || one.scope.workspaceId === workspaceId)
        )
      ),
    list: (workspaceId) =>
      Effect.map(living, (all) => all.filter(({ scope }) => (scope?.workspaceId ?? null) === workspaceId).sort(byModel))
  }
})
