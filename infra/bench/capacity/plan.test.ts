import { assert, describe, it } from "vitest"
import { MEASURED_COSTS } from "./measuredCosts.ts"
import { costOfRun, type PostgresLimits, planOf, type UnitCosts, type Work } from "./plan.ts"

const NONE = { api: 0, worker: 0, postgres: 0, wal: 0, stored: 0, transactionIds: 0 }
const COSTS: UnitCosts = {
  run: { api: 1_000, worker: 500, postgres: 2_000, wal: 10_000, stored: 5_000, transactionIds: 1 },
  call: { ...NONE, worker: 100, postgres: 1_000, transactionIds: 2 },
  event: { ...NONE, postgres: 10, stored: 100 },
  delivery: { ...NONE, worker: 50, wal: 1_000 },
  read: { ...NONE, api: 200 }
}
const WORK: Work = {
  runsPerDay: 8_640_000,
  peak: 2,
  secondsPerRun: 10,
  calls: 2,
  events: 10,
  deliveries: 1,
  reads: 5,
  callMicros: 1_000,
  daysKept: 10,
  utilization: 0.5,
  poolMax: 10,
  runsMax: 100
}
const LIMITS: PostgresLimits = {
  cores: 64,
  walMegabytesPerSecond: 100,
  storedTerabytes: 30,
  connections: 1_000,
  freezeHours: 6
}

describe("a plan", () => {
  it("adds up what belongs to a run", () => {
    assert.deepStrictEqual(costOfRun(COSTS, WORK), {
      api: 2_000,
      worker: 2_750,
      postgres: 4_100,
      wal: 11_000,
      stored: 6_000,
      transactionIds: 5
    })
  })

  it("gives the peak its machines, of which workers have the runs that execute as well", () => {
    const plan = planOf(COSTS, WORK, LIMITS)
    assert.strictEqual(plan.peakRunsPerSecond, 200)
    assert.strictEqual(plan.executing, 2_000)
    assert.strictEqual(plan.apis, 2)
    assert.strictEqual(plan.workers, 20)
    assert.closeTo(plan.postgresCores, 1.64, 1e-9)
    assert.closeTo(plan.walMegabytesPerSecond, 2.2, 1e-9)
    assert.strictEqual(plan.connections, 22 * 12 + 6)
    assert.closeTo(plan.hoursToFreeze, (2 ** 31 / (8_640_000 * 5)) * 24, 1e-6)
    assert.strictEqual(planOf(COSTS, { ...WORK, runsMax: 1_000 }, LIMITS).workers, 2)
  })

  it("names the limit that is fullest", () => {
    const first = (limits: Partial<PostgresLimits>) => planOf(COSTS, WORK, { ...LIMITS, ...limits }).shares[0]
    assert.deepStrictEqual(first({}), { limit: "connections", share: 0.27 })
    assert.strictEqual(first({ cores: 1 }).limit, "processors")
    assert.strictEqual(first({ walMegabytesPerSecond: 1 }).limit, "WAL")
    assert.strictEqual(first({ storedTerabytes: 0.1 }).limit, "storage")
    assert.strictEqual(first({ freezeHours: 1_000 }).limit, "freezing")
  })

  it("grows in proportion", () => {
    const [one, ten] = [
      planOf(COSTS, WORK, LIMITS),
      planOf(COSTS, { ...WORK, runsPerDay: WORK.runsPerDay * 10 }, LIMITS)
    ]
    assert.closeTo(ten.postgresCores, one.postgresCores * 10, 1e-9)
    assert.closeTo(ten.storedTerabytes, one.storedTerabytes * 10, 1e-9)
    assert.closeTo(ten.hoursToFreeze, one.hoursToFreeze / 10, 1e-9)
  })

  it("has measured costs of everything that costs something", () => {
    for (const name of ["run", "call", "delivery"] as const) {
      const { postgres, stored, wal, worker } = MEASURED_COSTS[name]
      for (const cost of [postgres, stored, wal, worker]) assert.isAbove(cost, 0, name)
    }
    assert.isAbove(MEASURED_COSTS.read.api, 0)
  })
})
