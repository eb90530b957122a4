import type { MemoryDatabase } from "@agent-platform/kernel/memory"
import { addDistributions } from "@agent-platform/toolkit"
import { DateTime, Effect, Layer } from "effect"
import { RollUpStore } from "../ports/RollUpStore.ts"
import { addFigures, dayKey, latencyKey, outcomeKey, usageKey } from "../RollUp.ts"
import { addOutcomes, addSums } from "../UsageCells.ts"
import { NO_STATE, rollUpRows } from "./rollUpRows.ts"

/** Roll-ups over a `MemoryDatabase`: its transactions run one after another, so that nobody else ever rolls up at the same time. */
export const layerRollUpStore: Layer.Layer<RollUpStore, never, MemoryDatabase> = Layer.effect(
  RollUpStore,
  Effect.map(rollUpRows, (rows) =>
    RollUpStore.of({
      hold: Effect.fnUntraced(function* ({ quietSeconds }) {
        const now = yield* DateTime.now
        const row = yield* rows.states.get("state")
        if (row === undefined) return NO_STATE
        const free = DateTime.add(row.triedAt, { milliseconds: quietSeconds * 1000 })
        return DateTime.isLessThanOrEqualTo(free, now) ? row.state : undefined
      }),
      save: (state) => Effect.flatMap(DateTime.now, (triedAt) => rows.states.put("state", { state, triedAt })),

      months: (workspaceIds, span) =>
        Effect.map(rows.months.all, (all) =>
          all
            .filter(({ workspaceId }) => workspaceIds.includes(workspaceId))
            .filter(
              ({ end, start }) =>
                span === undefined || (DateTime.isLessThan(start, span.end) && DateTime.isLessThan(span.start, end))
            )
            .sort((one, other) => (one.month < other.month ? -1 : 1))
        ),
      keepMonths: (months) =>
        Effect.forEach(
          months,
          (month) => {
            const key = `${month.workspaceId} ${month.month}`
            return Effect.flatMap(rows.months.get(key), (kept) =>
              kept === undefined ? rows.months.put(key, month) : Effect.void
            )
          },
          { discard: true }
        ),

      add: Effect.fnUntraced(function* ({ days, latencies, outcomes, usage }) {
        for (const delta of usage) {
          const kept = yield* rows.usage.get(usageKey(delta))
          yield* rows.usage.put(usageKey(delta), kept === undefined ? delta : { ...kept, ...addSums(kept, delta) })
        }
        for (const delta of outcomes) {
          const kept = yield* rows.outcomes.get(outcomeKey(delta))
          const sums = kept === undefined ? delta : { ...kept, ...addOutcomes(kept, delta) }
          yield* rows.outcomes.put(outcomeKey(delta), sums)
        }
        for (const delta of latencies) {
          const kept = yield* rows.latencies.get(latencyKey(delta))
          const distribution = addDistributions(kept?.distribution ?? {}, delta.distribution)
          yield* rows.latencies.put(latencyKey(delta), { ...delta, distribution })
        }
        for (const day of days) {
          const kept = yield* rows.days.get(dayKey(day))
          yield* rows.days.put(dayKey(day), kept === undefined ? day : { ...kept, ...addFigures(kept, day) })
        }
      })
    })
  )
)
