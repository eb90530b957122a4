/** Compares readings by groups, hours and organizations with the suite's own record of all calls and runs. */
import type { Tenant } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { isWithin, type Span } from "../BillingMonth.ts"
import type { LedgerEntry } from "../LedgerEntry.ts"
import { addPaid, NO_PAID_USAGE, type PaidUsage, plusUsd, totalOf } from "../UsageCells.ts"
import { type CellDimension, metadataName, type UsageDimension } from "../UsageGroups.ts"
import { readBillingMonth } from "../use-cases/analytics/readBillingMonth.ts"
import { type Percentiles, readHourlyUsage } from "../use-cases/analytics/readHourlyUsage.ts"
import type { ReadingOf } from "../use-cases/analytics/readingOf.ts"
import { readUsage } from "../use-cases/analytics/readUsage.ts"
import type { BilledRun } from "./BilledRuns.ts"
import { type Happened, ZONES } from "./usageScript.ts"
import { nameOfWorkspace } from "./zones.ts"

const NO_FILTER = { agentId: undefined, model: undefined, provider: undefined }

/** Groupings: each dimension alone, and some pairs of each kind. */
const GROUPINGS: ReadonlyArray<ReadonlyArray<UsageDimension>> = [
  ["model"],
  ["provider"],
  ["agent_id"],
  ["key_source"],
  ["workspace_id"],
  ["model", "key_source"],
  ["agent_id", "workspace_id"],
  ["provider", "agent_id"],
  ["tag"],
  ["metadata.customer"],
  ["metadata.nobody"],
  ["tag", "model"],
  ["key_source", "metadata.customer"],
  ["tag", "metadata.feature"]
]

const paidOf = (entry: LedgerEntry): PaidUsage => {
  const costUsd = entry.costUsd ?? "0.00"
  return {
    requests: 1,
    unpricedRequests: entry.costUsd === null ? 1 : 0,
    inputTokens: entry.inputTokens,
    cacheReadTokens: entry.cacheReadTokens,
    cacheWriteTokens: entry.cacheWriteTokens,
    outputTokens: entry.outputTokens,
    reasoningTokens: entry.reasoningTokens,
    costUsd,
    byokCostUsd: entry.keySource === "byok" ? costUsd : "0.00",
    platformCostUsd: entry.keySource === "platform" ? costUsd : "0.00"
  }
}

const paidSums = (entries: ReadonlyArray<LedgerEntry>): PaidUsage => entries.map(paidOf).reduce(addPaid, NO_PAID_USAGE)

const keysOf = (entry: LedgerEntry, run: BilledRun | undefined, by: UsageDimension): ReadonlyArray<string | null> => {
  const name = metadataName(by)
  if (name !== undefined) return [run?.metadata[name] ?? null]
  if (by === "tag") return run === undefined || run.tags.length === 0 ? [null] : run.tags
  const facts: Readonly<Record<CellDimension, string>> = {
    model: entry.requestModel,
    provider: entry.provider,
    agent_id: entry.agentId,
    key_source: entry.keySource,
    workspace_id: entry.workspaceId
  }
  return [facts[by as CellDimension]]
}

/** Asserts that every group of a reading is the sum of its calls, and that no call is missing. */
export const groupsAgree = Effect.fnUntraced(function* (
  of: ReadingOf,
  span: Span,
  happened: Happened,
  calls: ReadonlyArray<LedgerEntry>
) {
  const runs = new Map(happened.runs.map((run) => [run.runId, run]))
  for (const groupBy of GROUPINGS) {
    const { groups = [], usage } = yield* readUsage({
      of,
      since: span.start,
      until: span.end,
      filter: NO_FILTER,
      groupBy
    })
    const expected = new Map<string, PaidUsage>()
    for (const call of calls) {
      const [first = [], second = [null]] = groupBy.map((by) => keysOf(call, runs.get(call.runId), by))
      for (const one of first) {
        for (const other of second) {
          const key = JSON.stringify([one, other].slice(0, groupBy.length))
          expected.set(key, addPaid(expected.get(key) ?? NO_PAID_USAGE, paidOf(call)))
        }
      }
    }
    const found = groups.filter((group) => group.usage.requests > 0)
    assert.deepStrictEqual(
      Object.fromEntries(found.map(({ keys, usage }) => [JSON.stringify(keys.map(({ key }) => key)), usage])),
      Object.fromEntries(expected),
      groupBy.join(" and ")
    )
    assert.isFalse(groups.some(({ isOther }) => isOther))
    for (const { keys } of groups) {
      for (const { by, key, name } of keys) {
        const isNamed = by === "workspace_id"
        assert.strictEqual(name, isNamed ? nameOfWorkspace(key as Tenant["workspaceId"]) : null)
      }
    }
    if (!groupBy.includes("tag")) {
      assert.deepStrictEqual(
        groups.reduce((sum, group) => addPaid(sum, group.usage), NO_PAID_USAGE),
        usage
      )
    }
    if (groupBy.every((by) => by === "agent_id" || by === "workspace_id")) {
      const ended = groups.reduce((sum, { runs: counts }) => sum + (counts === null ? 0 : totalOf(counts)), 0)
      assert.strictEqual(ended, happened.ends.filter(({ run }) => isOf(of, run)).length)
    } else assert.isTrue(groups.every(({ runs: counts }) => counts === null))
  }
})

const isOf = (of: ReadingOf, { workspaceId }: Pick<Tenant, "workspaceId">): boolean =>
  of.workspaceId === undefined || of.workspaceId === workspaceId

/** The exact percentile by the nearest rank. */
const exactly = (sorted: ReadonlyArray<number>, fraction: number): number =>
  sorted[Math.max(1, Math.ceil(fraction * sorted.length)) - 1] ?? 0

/** Asserts that percentiles are within 5 % and half a millisecond of the exact ones. */
const areClose = (found: Percentiles | null, values: ReadonlyArray<number>, what: string) => {
  if (values.length === 0) return assert.isNull(found, what)
  const sorted = values.toSorted((one, other) => one - other)
  for (const [name, fraction] of [
    ["p50", 0.5],
    ["p95", 0.95],
    ["p99", 0.99]
  ] as const) {
    const exact = exactly(sorted, fraction)
    assert.isAtMost(Math.abs((found?.[name] ?? Number.NaN) - exact), exact * 0.05 + 0.5, `${what}, ${name}`)
  }
}

/** Asserts that every hour of a week has the sums of its calls and runs. */
export const hoursAgree = Effect.fnUntraced(function* (of: ReadingOf, until: DateTime.Utc, happened: Happened) {
  const since = DateTime.subtract(until, { days: 7 })
  const { asOf, items } = yield* readHourlyUsage({ of, since, until, filter: NO_FILTER })
  assert.isTrue(DateTime.isLessThan(since, asOf))
  for (const [place, item] of items.entries()) {
    const span = { start: item.hour, end: items[place + 1]?.hour ?? until }
    const calls = happened.calls.filter((call) => isOf(of, call) && isWithin(span, call.calledAt))
    const ends = happened.ends.filter(({ finishedAt, run }) => isOf(of, run) && isWithin(span, finishedAt))
    const { hour, outcomes, runLatency, timeToFirstToken, ...usage } = item
    const name = DateTime.formatIso(hour)
    assert.deepStrictEqual(usage, paidSums(calls), name)
    for (const outcome of ["succeeded", "paused", "failed", "cancelled"] as const) {
      assert.strictEqual(outcomes[outcome], ends.filter((end) => end.outcome === outcome).length, name)
    }
    areClose(
      runLatency,
      ends.map(({ latencyMillis }) => latencyMillis),
      name
    )
    areClose(
      timeToFirstToken,
      calls.flatMap(({ timeToFirstTokenMillis }) => timeToFirstTokenMillis ?? []),
      name
    )
  }
  return items
})

/** The date of a time in the zone. */
const dateIn = (zone: string, at: DateTime.Utc): string =>
  DateTime.formatIsoZoned(DateTime.setZoneNamedUnsafe(at, zone)).slice(0, 10)

/** Asserts that an organization's month is the sum of its workspaces' months, day by day, and that its groups have every call. */
export const monthsAddUp = Effect.fnUntraced(function* (month: string, happened: Happened) {
  const [{ organizationId } = { organizationId: undefined }] = happened.tenants
  if (organizationId === undefined) return assert.fail("There are workspaces")
  const groupBy = ["model", "key_source"] as const
  const whole = yield* readBillingMonth({ of: { organizationId, workspaceId: undefined }, month, groupBy })
  const parts = yield* Effect.forEach(happened.tenants, (of) => readBillingMonth({ of, month, groupBy }))
  for (const day of whole.items) {
    const ofDay = parts.flatMap(({ items }) => items.filter(({ date }) => date === day.date))
    for (const figure of ["runs", "requests", "unpricedRequests", "revision"] as const) {
      assert.strictEqual(
        day[figure],
        ofDay.reduce((sum, one) => sum + one[figure], 0),
        `${figure} of ${day.date}`
      )
    }
    for (const amount of ["costUsd", "byokCostUsd", "platformCostUsd", "adjustmentsUsd"] as const) {
      const sum = ofDay.reduce((usd, one) => plusUsd(usd, one[amount]), "0.00")
      assert.strictEqual(day[amount], sum, `${amount} of ${day.date}`)
    }
    const usageIn = (days: ReadonlyArray<typeof day>) =>
      days.flatMap(({ groups = [] }) => groups).reduce((sum, { usage }) => addPaid(sum, usage), NO_PAID_USAGE)
    assert.deepStrictEqual(usageIn([day]), usageIn(ofDay), day.date)
  }
  for (const [place, { items }] of parts.entries()) {
    const tenant = happened.tenants[place]
    const zone = ZONES[place] ?? "UTC"
    for (const { adjustmentsUsd, costUsd, date, groups = [] } of items) {
      const calls = happened.calls.filter(
        ({ calledAt, workspaceId }) => workspaceId === tenant?.workspaceId && dateIn(zone, calledAt) === date
      )
      const sum = groups.reduce((all, { usage }) => addPaid(all, usage), NO_PAID_USAGE)
      assert.deepStrictEqual(sum, paidSums(calls), date)
      assert.strictEqual(sum.costUsd, plusUsd(costUsd, adjustmentsUsd), date)
      for (const { keys, usage } of groups) {
        const [model, keySource] = keys.map(({ key }) => key)
        const own = calls.filter((call) => call.requestModel === model && call.keySource === keySource)
        assert.deepStrictEqual(usage, paidSums(own), date)
      }
    }
  }
})
