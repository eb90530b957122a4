/** The doctor's findings for given facts. */
import type { JobRun } from "@agent-platform/kernel"
import { JobRunId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import type { DatabaseFacts } from "@agent-platform/postgres"
import { parseDatabaseUrl } from "@agent-platform/toolkit"
import { DateTime, Result } from "effect"
import { assert, describe, it } from "vitest"
import { connectionFinding, secretFinding } from "../src/doctor/configurationFindings.ts"
import { clockFinding, databaseFindings, schemaFinding } from "../src/doctor/databaseFindings.ts"
import { type Finding, found, ok } from "../src/doctor/Finding.ts"
import { linesOf } from "../src/doctor/linesOf.ts"
import { queueFindings, scheduleFindings, workFindings } from "../src/doctor/workFindings.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")
const ago = (seconds: number) => DateTime.subtract(NOW, { seconds })

const FACTS: DatabaseFacts = {
  versionNumber: 180_004,
  version: "18.4",
  now: NOW,
  isReadOnly: false,
  isDurable: true,
  connectionsMax: 100,
  connections: 20,
  oldestTransaction: null,
  preparedTransactions: 0,
  role: { name: "agents", isOwner: false, creates: [] }
}

/** Findings other than well, as `check level`. */
const wrong = (findings: ReadonlyArray<Finding>) =>
  findings.filter(({ level }) => level !== "ok").map(({ check, level }) => `${check} ${level}`)

const saysWhatToDo = (findings: ReadonlyArray<Finding>) => {
  for (const { advice, level, check } of findings) assert.strictEqual(level === "ok", advice === null, check)
}

describe("the database", () => {
  const judged = (facts: Partial<DatabaseFacts>, poolMax = 10) => {
    const findings = databaseFindings({ ...FACTS, ...facts }, poolMax)
    saysWhatToDo(findings)
    return wrong(findings)
  }

  it("is well as it comes", () => assert.deepStrictEqual(judged({}), []))

  it("is found out in whatever is wrong with it", () => {
    assert.deepStrictEqual(judged({ versionNumber: 130_010 }), ["database.version problem"])
    assert.deepStrictEqual(judged({ isReadOnly: true }), ["database.writable problem"])
    assert.deepStrictEqual(judged({ isDurable: false }), ["database.durability warning"])
    assert.deepStrictEqual(judged({ connections: 80 }), ["database.connections warning"])
    assert.deepStrictEqual(judged({}, 50), ["database.pools problem"])
    const oldestTransaction = { seconds: 301, application: "psql" }
    assert.deepStrictEqual(judged({ oldestTransaction }), ["database.transactions warning"])
    assert.deepStrictEqual(judged({ preparedTransactions: 1 }), ["database.prepared_transactions warning"])
    const owner = { name: "agents", isOwner: true, creates: ["schemas"] }
    assert.deepStrictEqual(judged({ role: owner }), ["database.role warning"])
    assert.deepStrictEqual(judged({ role: { ...owner, isOwner: false } }), ["database.role warning"])
  })

  it("has a schema that may be behind or ahead", () => {
    const levels = (["current", "ahead", "pending", "unreachable"] as const).map((state) => schemaFinding(state).level)
    assert.deepStrictEqual(levels, ["ok", "warning", "problem", "problem"])
  })

  it("is asked over a way that should be encrypted", () => {
    const level = (url: string) => connectionFinding(Result.getOrThrow(parseDatabaseUrl(url))).level
    assert.strictEqual(level("postgres://a@127.0.0.1/b"), "ok")
    assert.strictEqual(level("postgres://a@db.internal/b?sslmode=verify-full"), "ok")
    assert.strictEqual(level("postgres://a@db.internal/b?sslmode=require"), "ok")
    assert.strictEqual(level("postgres:///b?host=/var/run/postgresql"), "ok")
    assert.strictEqual(level("postgres://a@db.internal/b?sslmode=disable"), "notice")
    assert.strictEqual(level("postgres://a@127.0.0.1,db.internal/b"), "notice")
  })
})

describe("the clocks", () => {
  it("may differ by as much as the question took, and by two seconds", () => {
    const level = (seconds: number, took = 0) => clockFinding(ago(-seconds), NOW, ago(-took)).level
    assert.deepStrictEqual([level(0), level(2), level(-2), level(9, 10), level(12, 10)], ["ok", "ok", "ok", "ok", "ok"])
    assert.deepStrictEqual(
      [level(3), level(-3), level(31), level(-86_400)],
      ["warning", "warning", "problem", "problem"]
    )
  })
})

describe("secrets", () => {
  it("that do not open are a problem, and those under an older key worth a word", () => {
    const store = { name: "provider keys", resealed: 0, current: 1, superseded: 0, unreadable: 0 }
    assert.strictEqual(secretFinding([store]).level, "ok")
    assert.strictEqual(secretFinding([store, { ...store, resealed: 1 }]).level, "notice")
    const { level, message } = secretFinding([store, { ...store, name: "record keys", unreadable: 2 }])
    assert.strictEqual(level, "problem")
    assert.include(message, "2 of the 4 secrets that were tried do not open, among record keys")
  })
})

describe("work", () => {
  const NOTHING = {
    oldestReadyRunSeconds: null,
    lapsedRuns: 0,
    oldestEventSeconds: null,
    oldestDueDeliverySeconds: null,
    oldestPendingReplaySeconds: null,
    hasRoomNextMonth: true
  }

  it("that waits for long, or that nobody ends, is found", () => {
    assert.deepStrictEqual(wrong(workFindings(NOTHING)), [])
    const found = workFindings({
      oldestReadyRunSeconds: 61,
      lapsedRuns: 1,
      oldestEventSeconds: 62,
      oldestDueDeliverySeconds: 7_300,
      oldestPendingReplaySeconds: 63,
      hasRoomNextMonth: false
    })
    saysWhatToDo(found)
    assert.deepStrictEqual(wrong(found), [
      "queues.runs warning",
      "queues.lost_runs problem",
      "queues.events warning",
      "queues.deliveries warning",
      "queues.replays warning",
      "queues.partitions warning"
    ])
  })

  it("in a queue that is missing, old or failing is found", () => {
    const waiting = [{ name: "runs.prune", dueSeconds: 61, retries: 5 }]
    const found = queueFindings({ isInstalled: true, missing: ["a.b"], waiting })
    saysWhatToDo(found)
    assert.deepStrictEqual(wrong(found), ["queues.installed problem", "queues.jobs warning", "queues.failing warning"])
    assert.deepStrictEqual(wrong(queueFindings({ isInstalled: true, missing: [], waiting: [] })), [])
    assert.deepStrictEqual(wrong(queueFindings({ isInstalled: false, missing: ["a.b"], waiting: [] })), [
      "queues.installed problem"
    ])
  })
})

describe("jobs by the clock", () => {
  const kind = { name: "things.prune" } as never
  const jobs = [{ kind, cron: "*/10 * * * *" }]
  const aRun = (override: Partial<JobRun>): JobRun => ({
    id: anId(JobRunId),
    name: "things.prune",
    trigger: "schedule",
    holder: "scheduler",
    status: "succeeded",
    startedAt: ago(300),
    finishedAt: ago(299),
    itemsDone: 0,
    itemsTotal: null,
    cursor: null,
    summary: "",
    error: null,
    ...override
  })
  const judged = (run?: Partial<JobRun>) => {
    const findings = scheduleFindings(jobs, new Map(run === undefined ? [] : [["things.prune", aRun(run)]]), NOW)
    saysWhatToDo(findings)
    return wrong(findings)
  }

  it("are well while they run when they are due", () => {
    assert.deepStrictEqual(judged({}), [])
    assert.deepStrictEqual(judged({ status: "running", startedAt: ago(7_200), finishedAt: null }), [])
  })

  it("are found out when they are overdue, failed, were lost or never ran", () => {
    assert.deepStrictEqual(judged(), ["jobs.clock notice"])
    assert.deepStrictEqual(judged({ startedAt: ago(7_200) }), ["jobs.clock warning"])
    assert.deepStrictEqual(judged({ status: "failed", error: "Away" }), ["jobs.outcomes warning"])
    assert.deepStrictEqual(judged({ status: "lost" }), ["jobs.outcomes warning"])
  })
})

describe("the doctor's lines", () => {
  it("stand in columns, however long the name of a check is", () => {
    const long = "database.prepared_transactions_of_others"
    assert.deepStrictEqual(linesOf([ok("clocks", "Good"), found("warning", long, "Bad", "Mend it")]), [
      `ok      clocks${" ".repeat(long.length - 6)}  Good`,
      `warning ${long}  Bad\n${" ".repeat(8 + long.length + 2)}Mend it`
    ])
  })
})
