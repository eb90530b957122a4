import { toPage } from "@agent-platform/kernel"
import type { MemoryDatabase } from "@agent-platform/kernel/memory"
import { DateTime, Effect, Layer, Order } from "effect"
import { isWithin } from "../BillingMonth.ts"
import { joinByKey } from "../joinByKey.ts"
import {
  type GroupedOutcomes,
  type GroupedUsage,
  type RunModelSums,
  type UsageAt,
  type UsageFilter,
  type UsageGrouping,
  UsageReadings,
  type UsageSpans
} from "../ports/UsageReadings.ts"
import type { OutcomeDelta, UsageDelta } from "../RollUp.ts"
import { addOutcomes, addSums, NO_OUTCOMES, NO_SUMS, totalOf } from "../UsageCells.ts"
import { ledgerRows, sumsOf } from "./ledgerRows.ts"
import { NO_STATE, rollUpRows } from "./rollUpRows.ts"

const isMeant = (
  delta: UsageDelta | OutcomeDelta,
  workspaceId: string,
  { agentId, model, provider }: UsageFilter
): boolean =>
  delta.workspaceId === workspaceId &&
  (agentId === undefined || delta.agentId === agentId) &&
  (!("model" in delta) || model === undefined || delta.model === model) &&
  (!("provider" in delta) || provider === undefined || delta.provider === provider)

const isIn = ({ level, start }: UsageDelta | OutcomeDelta, { days, hours }: UsageSpans): boolean =>
  level === "day" ? days !== undefined && isWithin(days, start) : hours.some((span) => isWithin(span, start))

const groupOf = (delta: UsageDelta | OutcomeDelta, groupBy: UsageGrouping | undefined): string | null => {
  if (groupBy === "agent_id") return delta.agentId
  if (groupBy === undefined || !("model" in delta)) return null
  return groupBy === "model" ? delta.model : delta.provider
}

const byTime = Order.mapInput(DateTime.Order, ({ at }: { readonly at: DateTime.Utc }) => at)

/** Readings of the roll-ups and the ledger of a `MemoryDatabase`. */
export const layerUsageReadings: Layer.Layer<UsageReadings, never, MemoryDatabase> = Layer.effect(
  UsageReadings,
  Effect.gen(function* () {
    const rows = yield* rollUpRows
    const { pricedCalls } = yield* ledgerRows
    const asOf = Effect.map(rows.states.get("state"), (row) => (row?.state ?? NO_STATE).asOf)
    const callsOf = (workspaceId: string, runId: string) =>
      Effect.map(pricedCalls(workspaceId), (calls) => calls.filter((call) => call.runId === runId))

    return UsageReadings.of({
      asOf,
      usage: Effect.fnUntraced(function* (workspaceId, spans, { filter, groupBy }) {
        const isAsked = (one: UsageDelta | OutcomeDelta) => isMeant(one, workspaceId, filter) && isIn(one, spans)
        return {
          asOf: yield* asOf,
          usage: joinByKey(
            (yield* rows.usage.all).filter(isAsked),
            (one) => JSON.stringify([groupOf(one, groupBy), one.keySource]),
            (made: GroupedUsage | undefined, one) => ({
              group: groupOf(one, groupBy),
              keySource: one.keySource,
              ...addSums(made ?? NO_SUMS, one)
            })
          ),
          outcomes: joinByKey(
            (yield* rows.outcomes.all).filter(isAsked),
            (one) => JSON.stringify(groupOf(one, groupBy)),
            (made: GroupedOutcomes | undefined, one) => ({
              group: groupOf(one, groupBy),
              ...addOutcomes(made ?? NO_OUTCOMES, one)
            })
          )
        }
      }),

      hours: Effect.fnUntraced(function* (workspaceId, span, filter) {
        const isAsked = (one: UsageDelta | OutcomeDelta) =>
          isMeant(one, workspaceId, filter) && one.level === "hour" && isWithin(span, one.start)
        return {
          asOf: yield* asOf,
          usage: joinByKey(
            (yield* rows.usage.all).filter(isAsked),
            ({ start }) => DateTime.formatIso(start),
            (made: UsageAt | undefined, one) => ({ at: one.start, ...addSums(made ?? NO_SUMS, one) })
          ).toSorted(byTime),
          runs: joinByKey(
            (yield* rows.outcomes.all).filter(isAsked),
            ({ start }) => DateTime.formatIso(start),
            (made: { readonly at: DateTime.Utc; readonly runs: number } | undefined, one) => ({
              at: one.start,
              runs: (made?.runs ?? 0) + totalOf(one)
            })
          ).toSorted(byTime)
        }
      }),

      days: Effect.fnUntraced(function* (workspaceId, month) {
        const days = (yield* rows.days.all).filter(
          (day) => day.workspaceId === workspaceId && day.date.startsWith(`${month}-`)
        )
        return { asOf: yield* asOf, days: days.sort((one, other) => (one.date < other.date ? -1 : 1)) }
      }),

      runCosts: (workspaceId, runId) =>
        Effect.map(callsOf(workspaceId, runId), (calls) =>
          joinByKey(
            calls,
            ({ keySource, provider, requestModel }) => [provider, requestModel, keySource].join("\n"),
            (made: RunModelSums | undefined, call) => ({
              provider: call.provider,
              model: call.requestModel,
              keySource: call.keySource,
              priceVersion: call.priceVersion ?? made?.priceVersion ?? null,
              ...addSums(made ?? NO_SUMS, sumsOf(call))
            })
          ).toSorted((one, other) =>
            `${one.provider}\n${one.model}\n${one.keySource}` < `${other.provider}\n${other.model}\n${other.keySource}`
              ? -1
              : 1
          )
        ),

      runRequests: (workspaceId, runId, _called, { before, limit }) =>
        Effect.map(callsOf(workspaceId, runId), (calls) => {
          const meant = calls
            .filter(({ seq }) => before === undefined || seq < Number(before))
            .sort((one, other) => other.seq - one.seq)
          return toPage(meant, limit, ({ seq }) => String(seq))
        })
    })
  })
)
