/** A random script for a deployment: calls, retries, ends of runs and roll-ups in any order. */
import { atomic, OrganizationId } from "@agent-platform/kernel"
import { anId, overtaking } from "@agent-platform/kernel/testing"
import { DateTime, Effect, Random } from "effect"
import { CallId, type KeySource, type LedgerEntry } from "../LedgerEntry.ts"
import { CallLedger } from "../ports/CallLedger.ts"
import { RollUpStore } from "../ports/RollUpStore.ts"
import { UsageReadings } from "../ports/UsageReadings.ts"
import type { OutcomeCounts } from "../UsageCells.ts"
import { rollUpUsage } from "../use-cases/analytics/rollUpUsage.ts"
import { aBilledRun, aCallEnd, aReservation, type BilledRun, costing } from "./BilledRuns.ts"
import { EndedRuns } from "./EndedRuns.ts"
import { aTenantIn } from "./zones.ts"

/** The suite's own record of the ledger's entries and of the outcomes of runs. */
export interface Happened {
  /** Every run that made calls. */
  readonly runs: ReadonlyArray<BilledRun>
  readonly tenants: ReadonlyArray<BilledRun>
  readonly calls: ReadonlyArray<LedgerEntry>
  readonly ends: ReadonlyArray<{
    readonly run: BilledRun
    readonly outcome: keyof OutcomeCounts
    readonly finishedAt: DateTime.Utc
    readonly latencyMillis: number
  }>
}

/** Two workspaces whose days begin at different quarters of an hour. */
export const ZONES = ["UTC", "Asia/Kathmandu"]

/** The labels of each workspace's runs after its first one, which has none. */
const LABELS: ReadonlyArray<Pick<BilledRun, "tags" | "metadata">> = [
  { tags: ["nightly", "beta"], metadata: { customer: "acme", feature: "chat" } },
  { tags: ["beta"], metadata: { customer: "=globex" } }
]

const oneOf = <A>(choices: ReadonlyArray<A>) =>
  Effect.map(Random.nextIntBetween(0, choices.length - 1), (index) => choices[index] as A)

/** A random time in the last 40 days, mostly in the last two. */
const someTime = Effect.gen(function* () {
  const now = yield* DateTime.now
  const back = (yield* Random.nextBoolean) ? 40 * 86_400 : 2 * 86_400
  return DateTime.subtract(now, { seconds: yield* Random.nextIntBetween(0, back) })
})

/** Admits a call of the run, and returns the entry with which it will end. */
const aCall = Effect.fnUntraced(function* (run: BilledRun) {
  const calledAt = yield* someTime
  const keySource = (yield* oneOf(["byok", "platform"] as const)) satisfies KeySource
  const isPriced = (yield* Random.nextIntBetween(0, 5)) > 0
  const reservation = aReservation({
    ...run,
    id: anId(CallId),
    keySource,
    keyId: keySource === "byok" ? anId(CallId) : null,
    provider: yield* oneOf(["openai", "anthropic"]),
    requestModel: yield* oneOf(["small", "large", "huge"]),
    calledAt,
    ...(isPriced ? {} : { ...costing(null), priceVersion: null })
  })
  const { outputTokensMin: _, rates, ...facts } = reservation
  const entry: LedgerEntry = {
    ...facts,
    ...aCallEnd({
      timeToFirstTokenMillis: (yield* Random.nextBoolean) ? yield* Random.nextIntBetween(0, 90_000) : null,
      inputTokens: yield* Random.nextIntBetween(0, 1_000_000),
      outputTokens: yield* Random.nextIntBetween(0, 100_000),
      costUsd: isPriced ? `0.${String(yield* Random.nextIntBetween(1, 999_999_999)).padStart(12, "0")}` : null,
      priceVersion: isPriced ? "prices@1" : null
    }),
    reservedUsd: rates?.baseUsd ?? null,
    seq: 0
  }
  yield* CallLedger.use((ledger) => ledger.reserve(reservation))
  return entry
})

/** The end of a call. Its sequence number and reservation come from the ledger. */
const settle = ({ seq: _seq, reservedUsd: _reserved, ...entry }: LedgerEntry) =>
  CallLedger.use((ledger) => ledger.settle(entry.workspaceId, entry.id, entry))

class Crash extends Error {}

/** A roll-up that fails just before it writes its position. */
const crashing = Effect.gen(function* () {
  const store = yield* RollUpStore
  yield* rollUpUsage({ batchRows: 7 }).pipe(
    Effect.provideService(RollUpStore, { ...store, save: () => Effect.die(new Crash()) }),
    Effect.catchDefect((defect) => (defect instanceof Crash ? Effect.void : Effect.die(defect)))
  )
})

const some = (max: number) => Effect.map(Random.nextIntBetween(1, max), (count) => Array.from({ length: count }))

/** Rolls up until the roll-ups have everything that is recorded now. */
export const caughtUp = Effect.gen(function* () {
  const readings = yield* UsageReadings
  const now = yield* DateTime.now
  for (let look = 0; look < 400; look++) {
    const done = yield* rollUpUsage({ batchRows: 50 })
    const isOver = done._tag === "RolledUp" && !done.hasMore
    if (isOver && DateTime.isGreaterThanOrEqualTo(yield* readings.asOf, now)) return
    if (isOver) yield* Effect.sleep("5 millis")
  }
  return yield* Effect.die(new Error("The roll-ups did not catch up"))
})

/** Does random acts. By default several workers may roll up at once, while other acts happen. */
export const live = Effect.fnUntraced(function* (acts: number, { atOnce = true } = {}) {
  const ended = yield* EndedRuns
  const organizationId = anId(OrganizationId)
  const tenants = yield* Effect.forEach(ZONES, (zone) =>
    Effect.flatMap(aTenantIn(zone, { organizationId }), (tenant) => aBilledRun(tenant))
  )
  const others = yield* Effect.forEach(tenants, (tenant) =>
    Effect.forEach(LABELS, (labels) => aBilledRun(tenant, labels))
  )
  const runs = [...tenants, ...others.flat()]
  const calls: Array<LedgerEntry> = []
  const ends: Array<Happened["ends"][number]> = []

  const settleSome = Effect.gen(function* () {
    const run = (yield* Random.nextBoolean) ? yield* oneOf(tenants) : yield* oneOf(runs)
    const entries = yield* Effect.forEach(yield* some(6), () => aCall(run))
    yield* Effect.forEach(entries, (entry) => atomic(settle(entry)), { concurrency: 3, discard: true })
    calls.push(...entries)
  })
  const settleAgain = Effect.gen(function* () {
    if (calls.length === 0) return
    const entry = yield* oneOf(calls)
    yield* atomic(settle({ ...entry, costUsd: entry.costUsd === null ? null : "9.99" }))
  })
  const settleInVain = Effect.gen(function* () {
    const entry = yield* aCall(yield* oneOf(tenants))
    yield* atomic(Effect.andThen(settle(entry), Effect.fail("rolled back"))).pipe(Effect.ignore)
  })
  const endRun = Effect.gen(function* () {
    const run = yield* aBilledRun(yield* oneOf(tenants))
    const outcome = yield* oneOf(["succeeded", "paused", "failed", "cancelled"] as const)
    const finishedAt = yield* someTime
    const latencyMillis = yield* Random.nextIntBetween(0, 600_000)
    yield* atomic(ended.end(run, { outcome, finishedAt, latencyMillis }))
    ends.push({ run, outcome, finishedAt, latencyMillis })
  })
  // The transaction that settles first commits last. Where transactions run one after another, the others wait for it.
  const settleLate = Effect.gen(function* () {
    const [first = yield* aBilledRun(), second = yield* aBilledRun()] = yield* Random.shuffle(tenants)
    const [slow, quick] = [yield* aCall(first), yield* aCall(second)]
    yield* overtaking(settle(slow), Effect.andThen(atomic(settle(quick)), rollUpUsage({ batchRows: 3 })), Effect.void)
    calls.push(slow, quick)
  })
  const rollUpAtOnce = Effect.forEach([1, 4, 100], (batchRows) => rollUpUsage({ batchRows }), {
    concurrency: "unbounded",
    discard: true
  })
  const oneByOne = [
    settleSome,
    settleSome,
    settleAgain,
    settleInVain,
    endRun,
    crashing,
    Effect.asVoid(rollUpUsage({ batchRows: 5 }))
  ]
  const together = [
    settleLate,
    rollUpAtOnce,
    Effect.all([rollUpAtOnce, settleSome, endRun, crashing], { concurrency: "unbounded", discard: true })
  ]
  const choices = atOnce ? [...oneByOne, ...together] : oneByOne
  for (let act = 0; act < acts; act++) yield* yield* oneOf(choices)
  return { tenants, runs, calls, ends } satisfies Happened
})
