import type { UnitOfWork, WorkspaceCaller } from "@agent-platform/kernel"
import { aCaller, type Tenant, type Tenants } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, Layer, Random } from "effect"
import type { LedgerEntry } from "../LedgerEntry.ts"
import { AgentNames } from "../ports/AgentNames.ts"
import type { CallLedger } from "../ports/CallLedger.ts"
import type { RollUpStore } from "../ports/RollUpStore.ts"
import type { RunSummaries } from "../ports/RunSummaries.ts"
import type { UsageCorrections } from "../ports/UsageCorrections.ts"
import type { UsageFeed } from "../ports/UsageFeed.ts"
import { UsageReadings } from "../ports/UsageReadings.ts"
import type { WorkspaceCalendars } from "../ports/WorkspaceCalendars.ts"
import { WorkspaceCaps } from "../ports/WorkspaceCaps.ts"
import {
  addOutcomes,
  addPaid,
  addSums,
  NO_OUTCOMES,
  NO_PAID_USAGE,
  NO_SUMS,
  type OutcomeCounts,
  type PaidUsage,
  plusUsd,
  type UsageSums
} from "../UsageCells.ts"
import { readHourlyUsage } from "../use-cases/analytics/readHourlyUsage.ts"
import { listRunRequests, readRunCosts } from "../use-cases/analytics/readRunCosts.ts"
import { readUsage } from "../use-cases/analytics/readUsage.ts"
import type { BilledRuns } from "./BilledRuns.ts"
import type { EndedRuns } from "./EndedRuns.ts"
import { groupsAgree, hoursAgree, monthsAddUp } from "./groupedUsage.ts"
import { lateCases } from "./lateUsage.ts"
import { caughtUp, type Happened, live } from "./usageScript.ts"
import { aCalendar, type Zones } from "./zones.ts"

/** The ports of the suite of roll-ups and readings. */
export type RollUpPorts =
  | BilledRuns
  | CallLedger
  | EndedRuns
  | RollUpStore
  | RunSummaries
  | Tenants
  | UnitOfWork
  | UsageCorrections
  | UsageFeed
  | UsageReadings
  | WorkspaceCalendars
  | Zones

/** How many acts the suite tries. */
export interface RollUpScript {
  readonly acts: number
  readonly seed: string
}

/** Stands for the other domains, which know the names of agents and the caps. */
const layerOthers = Layer.merge(
  Layer.succeed(AgentNames, { read: () => Effect.succeed(new Map()) }),
  Layer.succeed(WorkspaceCaps, {
    read: (_, __, at) =>
      Effect.succeed({
        monthlyCapUsd: null,
        period: { start: at, end: at },
        month: DateTime.formatIso(at).slice(0, 7)
      })
  })
)

const NO_FILTER = { agentId: undefined, model: undefined, provider: undefined }

const callerOf = ({ organizationId, workspaceId }: Tenant): WorkspaceCaller => aCaller({ organizationId, workspaceId })

const sumsOf = (entries: ReadonlyArray<LedgerEntry>): UsageSums =>
  entries.reduce<UsageSums>(
    (sums, entry) =>
      addSums(sums, {
        requests: 1,
        unpricedRequests: entry.costUsd === null ? 1 : 0,
        inputTokens: entry.inputTokens,
        cacheReadTokens: entry.cacheReadTokens,
        cacheWriteTokens: entry.cacheWriteTokens,
        outputTokens: entry.outputTokens,
        reasoningTokens: entry.reasoningTokens,
        costUsd: entry.costUsd ?? "0.00"
      }),
    NO_SUMS
  )

const withoutKeys = ({ byokCostUsd, platformCostUsd, ...sums }: PaidUsage): UsageSums => {
  assert.strictEqual(plusUsd(byokCostUsd, platformCostUsd), sums.costUsd)
  // Hours have more members than the sums.
  const names = Object.keys(NO_SUMS) as ReadonlyArray<keyof UsageSums>
  return Object.fromEntries(names.map((name) => [name, sums[name]])) as unknown as UsageSums
}

/** Asserts that the ledger and every reading agree about the usage of a workspace. */
const agrees = Effect.fnUntraced(function* (tenant: Tenant, timezone: string, happened: Happened) {
  const readings = yield* UsageReadings
  const calls = happened.calls.filter(({ workspaceId }) => workspaceId === tenant.workspaceId)
  const ends = happened.ends.filter(({ run }) => run.workspaceId === tenant.workspaceId)
  const counted = ends.reduce((sum, { outcome }) => addOutcomes(sum, { ...NO_OUTCOMES, [outcome]: 1 }), NO_OUTCOMES)
  const hour = 3_600_000
  const until = DateTime.makeUnsafe(Math.ceil(DateTime.toEpochMillis(yield* DateTime.now) / hour) * hour)
  const since = DateTime.subtract(until, { days: 45 })
  const ask = (override: Partial<Parameters<typeof readUsage>[0]>) =>
    readUsage({ of: tenant, since, until, filter: NO_FILTER, groupBy: [], ...override })

  const all = yield* ask({})
  assert.deepStrictEqual(withoutKeys(all.usage), sumsOf(calls))
  assert.deepStrictEqual(all.runs, counted)
  yield* groupsAgree(tenant, { start: since, end: until }, happened, calls)

  const small = calls.filter(({ provider, requestModel }) => requestModel === "small" && provider === "openai")
  const filter = { ...NO_FILTER, model: "small", provider: "openai" }
  assert.deepStrictEqual(withoutKeys((yield* ask({ filter })).usage), sumsOf(small))
  const { groups: tagged = [] } = yield* ask({ filter, groupBy: ["metadata.nobody"] })
  assert.deepStrictEqual(withoutKeys(tagged[0]?.usage ?? NO_PAID_USAGE), sumsOf(small))

  // Periods of fifteen days that do not begin with a day of the calendar add up to the whole.
  const parts = yield* Effect.forEach([0, 1, 2], (part) =>
    readHourlyUsage({
      of: tenant,
      filter: NO_FILTER,
      since: DateTime.add(since, { days: 15 * part }),
      until: DateTime.add(since, { days: 15 * (part + 1) })
    })
  )
  const hours = parts.flatMap(({ items }) => items)
  // In a zone off by a quarter of an hour, each period cuts an hour in two, and the last hour may not have begun yet.
  const present = yield* DateTime.now
  assert.isTrue(hours.every(({ hour }) => DateTime.isLessThanOrEqualTo(hour, present)))
  const notBegun = timezone !== "UTC" && DateTime.toParts(present).minute < 15 ? 1 : 0
  assert.strictEqual(hours.length, 45 * 24 + (timezone === "UTC" ? 0 : 3) - notBegun)
  assert.deepStrictEqual(withoutKeys(hours.reduce<PaidUsage>(addPaid, NO_PAID_USAGE)), sumsOf(calls))
  assert.deepStrictEqual(
    hours.reduce<OutcomeCounts>((sum, { outcomes }) => addOutcomes(sum, outcomes), NO_OUTCOMES),
    counted
  )
  yield* hoursAgree(tenant, until, happened)

  // A day's own figures and its adjustments add up to the ledger's figures of it.
  const calendar = aCalendar(timezone)
  const months = [...new Set([since, DateTime.add(since, { days: 25 }), until].map((at) => calendar.monthAt(at).month))]
  const days = (yield* Effect.forEach(months, (month) => readings.days([tenant.workspaceId], month))).flatMap(
    ({ days }) => [...days]
  )
  for (const day of days) {
    const ofDay = calls.filter(
      ({ calledAt }) => DateTime.isGreaterThanOrEqualTo(calledAt, day.start) && DateTime.isLessThan(calledAt, day.end)
    )
    const figures = plusUsd(plusUsd(day.byokCostUsd, day.platformCostUsd), day.adjustmentsUsd)
    assert.strictEqual(figures, sumsOf(ofDay).costUsd, day.date)
  }
  const billed = days.reduce(
    (sum, day) => plusUsd(sum, plusUsd(plusUsd(day.byokCostUsd, day.platformCostUsd), day.adjustmentsUsd)),
    "0.00"
  )
  assert.strictEqual(billed, sumsOf(calls).costUsd)
})

/** Asserts that an organization's readings are the sums of its workspaces' readings. */
const addsUp = Effect.fnUntraced(function* (happened: Happened) {
  const [{ organizationId } = { organizationId: undefined }] = happened.tenants
  if (organizationId === undefined) return assert.fail("There are workspaces")
  const of = { organizationId, workspaceId: undefined }
  const now = yield* DateTime.now
  const until = DateTime.makeUnsafe(Math.ceil(DateTime.toEpochMillis(now) / 3_600_000) * 3_600_000)
  yield* groupsAgree(of, { start: DateTime.subtract(until, { days: 45 }), end: until }, happened, happened.calls)
  yield* hoursAgree(of, until, happened)
  for (const days of [0, 30]) {
    yield* monthsAddUp(DateTime.formatIso(DateTime.subtract(now, { days })).slice(0, 7), happened)
  }
})

/** The contract of every store of roll-ups, with its feeds and readings. */
export const rollUpContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<RollUpPorts, E>,
  script: RollUpScript = { acts: 60, seed: "roll-ups" }
) =>
  describe(`roll-ups over ${adapter}`, () => {
    suite(Layer.merge(adapterLayer, layerOthers), { excludeTestServices: true })((it) => {
      it.effect(
        "say what the ledger says, after retries, crashes, roll-ups at once and transactions that commit late",
        () =>
          Effect.gen(function* () {
            const happened = yield* live(script.acts)
            yield* caughtUp
            const [inUtc, inKathmandu] = happened.tenants
            if (inUtc === undefined || inKathmandu === undefined) return assert.fail("There are two workspaces")
            yield* agrees(inUtc, "UTC", happened)
            yield* agrees(inKathmandu, "Asia/Kathmandu", happened)
            yield* addsUp(happened)
          }).pipe(Random.withSeed(script.seed)),
        60_000
      )

      it.effect("answer of a run what its calls cost, and page by page what they were", () =>
        Effect.gen(function* () {
          const happened = yield* live(30, { atOnce: false })
          for (const run of happened.tenants) {
            const calls = happened.calls.filter(({ runId }) => runId === run.runId)
            assert.isAbove(calls.length, 3)
            const caller = callerOf(run)
            const ended = happened.ends[0]?.run
            const { items, totalCostUsd } = yield* readRunCosts({ caller, runId: run.runId })
            assert.strictEqual(totalCostUsd, sumsOf(calls).costUsd)
            assert.strictEqual(
              items.reduce((sum, { requests }) => sum + requests, 0),
              calls.length
            )
            const seen: Array<string> = []
            let before: string | undefined
            do {
              const page = yield* listRunRequests({ caller, runId: run.runId, page: { limit: 3, before } })
              seen.push(...page.items.map(({ id }) => id))
              before = page.next
            } while (before !== undefined)
            assert.sameMembers(
              seen,
              calls.map(({ id }) => id)
            )
            assert.strictEqual(new Set(seen).size, seen.length)
            if (ended !== undefined && ended.workspaceId !== run.workspaceId) {
              const foreign = yield* Effect.flip(readRunCosts({ caller, runId: ended.runId }))
              assert.strictEqual(foreign._tag, "BilledRunNotFound")
            }
          }
        }).pipe(Random.withSeed("runs"))
      )

      lateCases(it)
    })
  })
