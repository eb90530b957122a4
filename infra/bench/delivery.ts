/**
 * The delivery benchmark: `npm run bench:delivery -- [--only drain,latency] [--deliveries 50000] [--rate 200]
 * [--seconds 20] [--pending 20000] [--old 200000]`. Parts: client, statements, drain, latency, isolation, backlog. What is
 * compared was measured in one run; figures of two runs say little about each other.
 */
import { parseArgs } from "node:util"
import { prepare } from "../../apps/admin/src/prepare.ts"
import { keepNewObjectsYoung } from "../../packages/process/src/heap.ts"
import { addBacklog } from "./delivery/backlog.ts"
import { startDatabase } from "./delivery/database.ts"
import { drain } from "./delivery/drain.ts"
import { measureLatency } from "./delivery/latency.ts"
import { raceClient, startReceiver } from "./delivery/processes.ts"
import { writeDeliveries } from "./delivery/statements.ts"
import { type BenchTenant, makeTenant, resetTables, SECRETS_KEY } from "./delivery/tenants.ts"

// The events come from this process, which keeps its heap as those of the platform do.
keepNewObjectsYoung()

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "client,statements,drain,latency,isolation,backlog" },
    deliveries: { type: "string", default: "50000" },
    rate: { type: "string", default: "200" },
    seconds: { type: "string", default: "20" },
    pending: { type: "string", default: "20000" },
    old: { type: "string", default: "200000" }
  }
})
const parts = new Set(values.only.split(","))
const deliveries = Number(values.deliveries)
const steady = { rate: Number(values.rate), seconds: Number(values.seconds) }
const backlog = { pending: Number(values.pending), old: Number(values.old) }

/** As in the race that the design was chosen by. */
const ORGANIZATIONS = 21
const ENDPOINTS_EACH = 3
const IN_FLIGHT = 128

type Kind = "ok" | "fail" | "hang"

const HEALTHY: ReadonlyArray<Kind> = ["ok"]
/** Of each five endpoints one hangs and one fails. */
const MIXED: ReadonlyArray<Kind> = ["ok", "hang", "ok", "fail", "ok"]

const figure = (value: number, digits = 0) => value.toFixed(digits)
const say = (what: string, ...figures: ReadonlyArray<string>) => console.log([what.padEnd(44), ...figures].join("  "))

const database = await startDatabase()
const receiver = await startReceiver()

/** Organizations with so many endpoints each, which answer by turns in these ways; nothing else is in the database. */
const freshTenants = async (organizations: number, endpointsEach: number, kinds: ReadonlyArray<Kind>) => {
  await database.run(resetTables)
  const tenants: Array<BenchTenant> = []
  let number = 0
  for (let index = 0; index < organizations; index++) {
    const urls = Array.from({ length: endpointsEach }, () => {
      const url = receiver.url(kinds[number % kinds.length] ?? "ok", number)
      number++
      return url
    })
    tenants.push(await makeTenant(database.url, urls))
  }
  return tenants
}

const measureDrain = async (what: string, tenants: ReadonlyArray<BenchTenant>) => {
  const events = Math.max(1, Math.round(deliveries / (ORGANIZATIONS * ENDPOINTS_EACH)))
  const drained = await drain(database, receiver, tenants, events)
  say(
    what,
    `${figure(drained.perSecond)}/s`,
    `${figure(drained.statementsPerDelivery, 3)} statements`,
    `${figure(drained.walBytesPerDelivery)} B of WAL`,
    `${figure(drained.workerMicros)} µs worker`,
    `${figure(drained.postgresMicros)} µs Postgres`
  )
  return drained.perSecond
}

const percent = (part: number, whole: number) => `${figure((part / whole) * 100)} %`

const measureSteady = async (what: string, tenants: ReadonlyArray<BenchTenant>) => {
  const measured = await measureLatency(database, receiver, tenants, steady)
  const { busy, busyWithOthers, deliveries: count, p50, p95, p99 } = measured
  say(
    what,
    `p50 ${figure(p50, 1)} ms`,
    `p95 ${figure(p95, 1)} ms`,
    `p99 ${figure(p99, 1)} ms`,
    `of ${count}`,
    `processors busy ${percent(busy, 1)}, with others ${percent(busyWithOthers, 1)}`
  )
  return { p95, p99 }
}

try {
  await prepare({ databaseUrl: database.url, secretsKey: SECRETS_KEY, known: null })
  const clients = new Map<string, number>()
  if (parts.has("client")) {
    const race = async (what: string, how: Parameters<typeof raceClient>[0]) => {
      const { micros, perSecond } = await raceClient(how, receiver.url("ok", 0), deliveries, IN_FLIGHT)
      clients.set(what, perSecond)
      say(`(a) ${what}`, `${figure(perSecond)}/s`, `${figure(micros)} µs`)
    }
    await race("undici's connections alone", "connections")
    await race("undici's pool", "pool")
    await race("the egress guard", "guard")
  }
  if (parts.has("statements")) {
    const [tenant] = await freshTenants(1, 1, HEALTHY)
    if (tenant !== undefined) {
      say("(b) statements alone", `${figure(await writeDeliveries(database.url, tenant, deliveries))}/s`)
    }
  }
  if (parts.has("drain")) {
    const healthy = await measureDrain(
      "(c) whole worker, draining",
      await freshTenants(ORGANIZATIONS, ENDPOINTS_EACH, HEALTHY)
    )
    for (const [what, perSecond] of clients) say(`    of ${what}`, percent(healthy, perSecond))
    await measureDrain(
      "    20 % hanging, 20 % failing: the healthy",
      await freshTenants(ORGANIZATIONS, ENDPOINTS_EACH, MIXED)
    )
  }
  if (parts.has("latency")) {
    const healthy = await measureSteady(
      `(d) commit to receiver at ${steady.rate}/s`,
      await freshTenants(ORGANIZATIONS, ENDPOINTS_EACH, HEALTHY)
    )
    const mixed = await measureSteady(
      "    20 % hanging, 20 % failing: the healthy",
      await freshTenants(ORGANIZATIONS, ENDPOINTS_EACH, MIXED)
    )
    say("    p99 beside the bad ones", `${figure(mixed.p99 / healthy.p99, 2)} times`)
  }
  if (parts.has("isolation")) {
    const all = await measureSteady("(e) fifty healthy endpoints", await freshTenants(50, 1, HEALTHY))
    const hanging: ReadonlyArray<Kind> = Array.from({ length: 50 }, (_, index) => (index === 0 ? "hang" : "ok"))
    const beside = await measureSteady("    forty-nine beside one that hangs", await freshTenants(50, 1, hanging))
    say("    p95 beside the one that hangs", `${figure(beside.p95 / all.p95, 2)} times`)
  }
  if (parts.has("backlog")) {
    const empty = await measureDrain(
      "(f) draining on empty tables",
      await freshTenants(ORGANIZATIONS, ENDPOINTS_EACH, HEALTHY)
    )
    const tenants = await freshTenants(ORGANIZATIONS, ENDPOINTS_EACH, HEALTHY)
    const waiting = await makeTenant(database.url, [receiver.url("hang", 999)])
    await addBacklog(database, waiting, backlog)
    const beside = await measureDrain(`    beside ${backlog.pending} future retries, ${backlog.old} old rows`, tenants)
    say("    of that on empty tables", percent(beside, empty))
  }
} finally {
  receiver.stop()
  await database.stop()
}
