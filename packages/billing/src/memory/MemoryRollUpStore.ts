import type { MemoryDatabase } from "@agent-platform/kernel/memory"
import { DateTime, Effect, Layer } from "effect"
import { RollUpStore } from "../ports/RollUpStore.ts"
import type { DayDelta } from "../RollUp.ts"
import { addOutcomes, addSums, plusUsd } from "../UsageCells.ts"
import { NO_STATE, rollUpRows } from "./rollUpRows.ts"

const addDays = (kept: DayDelta | undefined, day: DayDelta): DayDelta =>
  kept === undefined
    ? day
    : {
        ...kept,
        runs: kept.runs + day.runs,
        requests: kept.requests + day.requests,
        byokCostUsd: plusUsd(kept.byokCostUsd, day.byokCostUsd),
        platformCostUsd: plusUsd(kept.platformCostUsd, day.platformCostUsd),
        adjustmentsUsd: plusUsd(kept.adjustmentsUsd, day.adjustmentsUsd),
        revision: kept.revision + day.revision
      }

/** Roll-ups over a `MemoryDatabase`: its transactions run one after another, so the place is always free. */
export const layerRollUpStore: Layer.Layer<RollUpStore, never, MemoryDatabase> = Layer.effect(
  RollUpStore,
  Effect.map(rollUpRows, (rows) =>
    RollUpStore.of({
      hold: ({ quietSeconds }) =>
        Effect.gen(function* () {
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

      add: ({ days, outcomes, usage }) =>
        Effect.gen(function* () {
          for (const delta of usage) {
            const { agentId, keySource, level, model, provider, start, workspaceId } = delta
            const place = [workspaceId, level, DateTime.formatIso(start), agentId, provider, model, keySource]
            const kept = yield* rows.usage.get(place.join("\n"))
            yield* rows.usage.put(place.join("\n"), kept === undefined ? delta : { ...kept, ...addSums(kept, delta) })
          }
          for (const delta of outcomes) {
            const { agentId, level, start, workspaceId } = delta
            const place = [workspaceId, level, DateTime.formatIso(start), agentId].join("\n")
            const kept = yield* rows.outcomes.get(place)
            yield* rows.outcomes.put(place, kept === undefined ? delta : { ...kept, ...addOutcomes(kept, delta) })
          }
          for (const day of days) {
            const place = `${day.workspaceId} ${day.date}`
            yield* rows.days.put(place, addDays(yield* rows.days.get(place), day))
          }
        })
    })
  )
)
