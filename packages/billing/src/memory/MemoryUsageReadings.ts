import { toPage } from "@agent-platform/kernel"
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { DateTime, Effect, Layer } from "effect"
import { isWithin } from "../BillingMonth.ts"
import { joinByKey } from "../joinByKey.ts"
import type { LedgerEntry } from "../LedgerEntry.ts"
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
import { addOutcomes, addSums, NO_OUTCOMES, NO_SUMS, totalOf, type UsageSums } from "../UsageCells.ts"
import type { UsageCorrection } from "../UsageCorrection.ts"
import { ledgerRows } from "./ledgerRows.ts"
import { asOfIn, rollUpRows } from "./rollUpRows.ts"

const isMeant = (delta: UsageDelta | OutcomeDelta, { agentId, model, provider }: UsageFilter): boolean =>
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

const byTime = (one: { readonly at: DateTime.Utc }, other: { readonly at: DateTime.Utc }) =>
  DateTime.toEpochMillis(one.at) - DateTime.toEpochMillis(other.at)

const sumsOf = (entry: LedgerEntry): UsageSums => ({
  ...entry,
  requests: 1,
  unpricedRequests: entry.costUsd === null ? 1 : 0,
  costUsd: entry.costUsd ?? NO_SUMS.costUsd
})

/** Readings of the roll-ups and the ledger of a `MemoryDatabase`. */
export const layerUsageReadings: Layer.Layer<UsageReadings, never, MemoryDatabase> = Layer.effect(
  UsageReadings,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const rows = yield* rollUpRows
    const ledger = yield* ledgerRows
    const corrections = database.table<UsageCorrection>("usage_correction")
    const asOf = asOfIn(rows)

    /** The run's calls, each with the price that holds. */
    const callsOf = (workspaceId: string, runId: string) =>
      Effect.gen(function* () {
        const corrected = new Map((yield* corrections.all).map((one) => [`${one.workspaceId} ${one.callId}`, one]))
        return (yield* ledger.all)
          .filter((entry) => entry.workspaceId === workspaceId && entry.runId === runId)
          .map((entry): LedgerEntry => {
            const last = corrected.get(`${workspaceId} ${entry.id}`)
            return last === undefined ? entry : { ...entry, costUsd: last.costUsd, priceVersion: last.priceVersion }
          })
      })

    return UsageReadings.of({
      asOf,
      usage: (workspaceId, spans, { filter, groupBy }) =>
        Effect.gen(function* () {
          const meant = <Delta extends UsageDelta | OutcomeDelta>(all: ReadonlyArray<Delta>) =>
            all.filter((one) => one.workspaceId === workspaceId && isIn(one, spans) && isMeant(one, filter))
          return {
            asOf: yield* asOf,
            usage: joinByKey(
              meant(yield* rows.usage.all),
              (one) => JSON.stringify([groupOf(one, groupBy), one.keySource]),
              (made: GroupedUsage | undefined, one) => ({
                group: groupOf(one, groupBy),
                keySource: one.keySource,
                ...addSums(made ?? NO_SUMS, one)
              })
            ),
            outcomes: joinByKey(
              meant(yield* rows.outcomes.all),
              (one) => JSON.stringify(groupOf(one, groupBy)),
              (made: GroupedOutcomes | undefined, one) => ({
                group: groupOf(one, groupBy),
                ...addOutcomes(made ?? NO_OUTCOMES, one)
              })
            )
          }
        }),

      hours: (workspaceId, span, filter) =>
        Effect.gen(function* () {
          const meant = <Delta extends UsageDelta | OutcomeDelta>(all: ReadonlyArray<Delta>) =>
            all.filter(
              (one) =>
                one.workspaceId === workspaceId &&
                one.level === "hour" &&
                isWithin(span, one.start) &&
                isMeant(one, filter)
            )
          return {
            asOf: yield* asOf,
            usage: joinByKey(
              meant(yield* rows.usage.all),
              ({ start }) => DateTime.formatIso(start),
              (made: UsageAt | undefined, one) => ({ at: one.start, ...addSums(made ?? NO_SUMS, one) })
            ).toSorted(byTime),
            runs: joinByKey(
              meant(yield* rows.outcomes.all),
              ({ start }) => DateTime.formatIso(start),
              (made: { readonly at: DateTime.Utc; readonly runs: number } | undefined, one) => ({
                at: one.start,
                runs: (made?.runs ?? 0) + totalOf(one)
              })
            ).toSorted(byTime)
          }
        }),

      days: (workspaceId, month) =>
        Effect.gen(function* () {
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
          return toPage(meant.slice(0, limit + 1), limit, ({ seq }) => String(seq))
        })
    })
  })
)
