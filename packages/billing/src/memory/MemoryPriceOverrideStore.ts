import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { DateTime, Effect, Layer } from "effect"
import type { PriceOverride } from "../PriceOverride.ts"
import { PriceOverrideStore } from "../ports/PriceOverrideStore.ts"

interface Row {
  readonly override: PriceOverride
  readonly removedAt: DateTime.Utc | null
}

const inOrder = (one: PriceOverride, other: PriceOverride): number => {
  const key = ({ effectiveFrom, id, model, provider }: PriceOverride) => [
    provider,
    model,
    DateTime.formatIso(effectiveFrom),
    id
  ]
  const [ofOne, ofOther] = [key(one), key(other)]
  const at = ofOne.findIndex((text, index) => text !== ofOther[index])
  return at < 0 ? 0 : (ofOne[at] ?? "") < (ofOther[at] ?? "") ? -1 : 1
}

const make = Effect.map(MemoryDatabase, (database) => {
  const rows = database.table<Row>("price_override")
  const living = Effect.map(rows.all, (all) =>
    all.filter(({ removedAt }) => removedAt === null).map(({ override }) => override)
  )
  return PriceOverrideStore.of({
    insert: (override) => rows.put(override.id, { override, removedAt: null }),
    remove: (id, at) =>
      Effect.gen(function* () {
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
      Effect.map(living, (all) => all.filter(({ scope }) => (scope?.workspaceId ?? null) === workspaceId).sort(inOrder))
  })
})

/** Prices over a `MemoryDatabase`. */
export const layerPriceOverrideStore: Layer.Layer<PriceOverrideStore, never, MemoryDatabase> = Layer.effect(
  PriceOverrideStore,
  make
)
