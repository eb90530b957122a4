import { toPage, type WorkspaceId } from "@agent-platform/kernel"
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { addDistributions } from "@agent-platform/toolkit"
import { DateTime, Effect, Layer, Order } from "effect"
import { isWithin, type Span } from "../BillingMonth.ts"
import { joinByKey } from "../joinByKey.ts"
import {
  type GroupedDay,
  type LatencyAt,
  type OutcomesAt,
  type RunModelSums,
  type UsageAt,
  UsageReadings,
  type WorkspaceSpans
} from "../ports/UsageReadings.ts"
import {
  ALL_AGENTS,
  addFigures,
  type DayDelta,
  type LatencyDelta,
  type OutcomeDelta,
  type UsageDelta
} from "../RollUp.ts"
import {
  addOutcomes,
  addPaid,
  addSums,
  NO_OUTCOMES,
  NO_PAID_USAGE,
  NO_SUMS,
  type OutcomeCounts
} from "../UsageCells.ts"
import {
  canGroupRuns,
  dearestOf,
  groupKey,
  isCellDimension,
  metadataName,
  type UsageDimension
} from "../UsageGroups.ts"
import { ledgerRows, sumsOf } from "./ledgerRows.ts"
import { NO_STATE, rollUpRows } from "./rollUpRows.ts"
import { addUp, groupOf, isMeant, keyBy, paidBy } from "./usageGroups.ts"

const isIn = (one: UsageDelta | OutcomeDelta, spans: ReadonlyArray<WorkspaceSpans>): boolean =>
  spans.some(({ days, hours, workspaceId }) => {
    if (workspaceId !== one.workspaceId) return false
    return one.level === "day"
      ? days !== undefined && isWithin(days, one.start)
      : hours.some((span) => isWithin(span, one.start))
  })

const byTime = Order.mapInput(DateTime.Order, ({ at }: { readonly at: DateTime.Utc }) => at)

/** The part of a run that is read here, from a table that another domain writes. */
interface LabelledRow {
  readonly run: {
    readonly workspaceId: string
    readonly tags: ReadonlyArray<string>
    readonly metadata: { readonly [name: string]: string }
  }
}

const labelsBy = (row: LabelledRow | undefined, dimension: UsageDimension): ReadonlyArray<string | null> => {
  const name = metadataName(dimension)
  if (name !== undefined) return [row?.run.metadata[name] ?? null]
  const tags = [...new Set(row?.run.tags)]
  return tags.length === 0 ? [null] : tags
}

/** Readings of the roll-ups and the ledger of a `MemoryDatabase`. */
export const layerUsageReadings: Layer.Layer<UsageReadings, never, MemoryDatabase> = Layer.effect(
  UsageReadings,
  Effect.gen(function* () {
    const rows = yield* rollUpRows
    const runs = (yield* MemoryDatabase).table<LabelledRow>("run")
    const { calls, pricedCalls } = yield* ledgerRows
    const asOf = Effect.map(rows.states.get("state"), (row) => (row?.state ?? NO_STATE).asOf)
    const callsOf = (workspaceId: string, runId: string) =>
      Effect.map(pricedCalls(workspaceId), (calls) => calls.filter((call) => call.runId === runId))
    const daysIn = (workspaceIds: ReadonlyArray<WorkspaceId>, month: string) =>
      Effect.map(rows.days.all, (all) =>
        all.filter((day) => workspaceIds.includes(day.workspaceId) && day.date.startsWith(`${month}-`))
      )
    /** The calls of a span that are in the roll-ups already, each with the price that holds. */
    const calledIn = Effect.fnUntraced(function* (workspaceIds: ReadonlyArray<WorkspaceId>, span: Span) {
      const place = Number((yield* rows.states.get("state"))?.state.calls ?? "0")
      const rolledUp = new Set((yield* calls.all).slice(0, place).map(({ id }) => id))
      const priced = yield* Effect.forEach(workspaceIds, pricedCalls)
      return priced.flat().filter(({ calledAt, id }) => isWithin(span, calledAt) && rolledUp.has(id))
    })

    return UsageReadings.of({
      asOf,
      usage: Effect.fnUntraced(function* (spans, { filter, groupBy }) {
        const ids = spans.map(({ workspaceId }) => workspaceId)
        const isAsked = (one: UsageDelta | OutcomeDelta) => isMeant(one, ids, filter) && isIn(one, spans)
        const keysOf = (one: UsageDelta | OutcomeDelta) => groupBy.map((dimension) => keyBy(one, dimension))
        const groupsRuns = canGroupRuns(groupBy)
        const ended = (yield* rows.outcomes.all).filter(isAsked)
        const groups = addUp([
          ...(yield* rows.usage.all)
            .filter(isAsked)
            .map((one) =>
              groupOf(keysOf(one), paidBy(addSums(NO_SUMS, one), one.keySource), groupsRuns ? NO_OUTCOMES : null)
            ),
          ...(groupsRuns ? ended.map((one) => groupOf(keysOf(one), NO_PAID_USAGE, addOutcomes(NO_OUTCOMES, one))) : [])
        ])
        return {
          asOf: yield* asOf,
          groups: dearestOf(groups),
          runs: ended.reduce<OutcomeCounts>(addOutcomes, NO_OUTCOMES)
        }
      }),

      labelled: Effect.fnUntraced(function* (workspaceIds, span, { filter, groupBy }) {
        const calls = (yield* calledIn(workspaceIds, span)).map((call) => ({ ...call, model: call.requestModel }))
        const asked = calls.filter((call) => isMeant(call, workspaceIds, filter))
        const groups = yield* Effect.forEach(asked, (call) =>
          Effect.map(runs.get(call.runId), (row) =>
            groupBy
              .map((dimension) => (isCellDimension(dimension) ? [keyBy(call, dimension)] : labelsBy(row, dimension)))
              // All combinations of one value of each dimension.
              .reduce<ReadonlyArray<ReadonlyArray<string | null>>>(
                (all, keys) => all.flatMap((made) => keys.map((key) => [...made, key])),
                [[]]
              )
              .map((keys) => groupOf(keys, paidBy(addSums(NO_SUMS, sumsOf(call)), call.keySource), null))
          )
        )
        return dearestOf(addUp(groups.flat()))
      }),

      hours: Effect.fnUntraced(function* (workspaceIds, span, filter) {
        const isAsked = (one: UsageDelta | OutcomeDelta) =>
          isMeant(one, workspaceIds, filter) && one.level === "hour" && isWithin(span, one.start)
        // Without a filter, the durations of all agents together are read, which are kept beside those of each.
        const isOfAll = Object.values(filter).every((one) => one === undefined)
        const isTimed = ({ kind, ...one }: LatencyDelta) =>
          (one.agentId === ALL_AGENTS) === isOfAll &&
          isMeant(
            kind === "run" ? { workspaceId: one.workspaceId, agentId: one.agentId } : one,
            workspaceIds,
            filter
          ) &&
          isWithin(span, one.start)
        return {
          asOf: yield* asOf,
          usage: joinByKey(
            (yield* rows.usage.all).filter(isAsked),
            ({ start }) => DateTime.formatIso(start),
            (made: UsageAt | undefined, one) => ({
              at: one.start,
              ...addPaid(made ?? NO_PAID_USAGE, paidBy(addSums(NO_SUMS, one), one.keySource))
            })
          ).toSorted(byTime),
          outcomes: joinByKey(
            (yield* rows.outcomes.all).filter(isAsked),
            ({ start }) => DateTime.formatIso(start),
            (made: OutcomesAt | undefined, one) => ({ at: one.start, ...addOutcomes(made ?? NO_OUTCOMES, one) })
          ).toSorted(byTime),
          latencies: joinByKey(
            (yield* rows.latencies.all).filter(isTimed),
            ({ kind, start }) => `${kind} ${DateTime.formatIso(start)}`,
            (made: LatencyAt | undefined, { distribution, kind, start }) => ({
              at: start,
              kind,
              distribution: addDistributions(made?.distribution ?? {}, distribution)
            })
          ).toSorted(byTime)
        }
      }),

      days: Effect.fnUntraced(function* (workspaceIds, month) {
        const days = joinByKey(
          yield* daysIn(workspaceIds, month),
          ({ date }) => date,
          (made: DayDelta | undefined, one) =>
            made === undefined
              ? one
              : {
                  ...made,
                  ...addFigures(made, one),
                  start: DateTime.min(made.start, one.start),
                  end: DateTime.max(made.end, one.end)
                }
        )
        return { asOf: yield* asOf, days: days.toSorted((one, other) => (one.date < other.date ? -1 : 1)) }
      }),

      groupedDays: Effect.fnUntraced(function* (workspaceIds, month, groupBy) {
        const days = yield* daysIn(workspaceIds, month)
        const cells = (yield* rows.usage.all).filter(({ level }) => level === "day")
        const parts = days.flatMap(
          (day): ReadonlyArray<GroupedDay> =>
            cells
              .filter(({ start, workspaceId }) => workspaceId === day.workspaceId && isWithin(day, start))
              .map((cell) => ({
                ...groupOf(
                  groupBy.map((dimension) => keyBy(cell, dimension)),
                  paidBy(addSums(NO_SUMS, cell), cell.keySource),
                  null
                ),
                date: day.date
              }))
        )
        const shown = new Set(dearestOf(addUp(parts)).map(groupKey))
        const cut = parts.map((part) =>
          shown.has(groupKey(part)) ? part : { ...part, keys: groupBy.map(() => null), isOther: true }
        )
        return [...Map.groupBy(cut, ({ date }) => date)]
          .toSorted(([one], [other]) => (one < other ? -1 : 1))
          .flatMap(([date, ofDay]) => addUp(ofDay).map((group) => ({ ...group, date })))
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
