/**
 * The delivery benchmark: `npm run bench:delivery -- [--only drain,latency] [--deliveries 50000] [--rate 200]
 * [--seconds 20] [--pending 20000] [--old 200000] [--rounds 3] [--scheme http|https]`. Parts: client, statements, drain, latency,
 * isolation, backlog. What is compared was measured in one run; figures of two runs say little about each other. Client and
 * drain take turns, `--rounds` times, and their medians are printed: a machine that others share changes its speed by
 * the minute.
 */

import { prepare } from "../../apps/admin/src/prepare.ts"
import { readFlags } from "../local/flags.ts"
import { addBacklog } from "./delivery/backlog.ts"
import { startDatabase } from "./delivery/database.ts"
import { type Drained, drain } from "./delivery/drain.ts"
import { measureLatency } from "./delivery/latency.ts"
import { type Raced, raceClient, SCHEMES, startReceiver } from "./delivery/processes.ts"
import { writeDeliveries } from "./delivery/statements.ts"
import { type BenchTenant, makeTenant, resetTables, SECRETS_KEY } from "./delivery/tenants.ts"

const values = readFlags("npm run bench:delivery", "What the delivery worker does, beside its parts.", {
  only: {
    value: "TEXT",
    default: "client,statements,drain,latency,isolation,backlog",
    says: "Which parts, with commas between them"
  },
  deliveries: { value: "N", default: 50_000, says: "Deliveries of statements and drain" },
  rate: { value: "N", default: 200, says: "Events a second of latency and isolation" },
  seconds: { value: "N", default: 20, says: "How long these two last" },
  pending: { value: "N", default: 20_000, says: "Pending deliveries of backlog" },
  old: { value: "N", default: 200_000, says: "Finished deliveries of backlog" },
  rounds: { value: "N", default: 3, says: "How often each part is measured" },
  scheme: { value: "TEXT", default: "http", says: "http or https" }
})
const parts = new Set(values.only.split(","))
const [scheme] = SCHEMES.filter((one) => one === values.scheme)
const { deliveries, rounds } = values
if (scheme === undefined) throw new Error("--scheme is http or https")
if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds is a number from 1 on")
const steady = { rate: values.rate, seconds: values.seconds }
const backlog = { pending: values.pending, old: values.old }

/** The sizes of the earlier measurement by which this design was chosen, so that the figures can be compared. */
const ORGANIZATIONS = 21
const ENDPOINTS_EACH = 3
const IN_FLIGHT = 128

/** The ways in which the client alone sends: by bare connections, by undici's pool of as many, by the guard that the worker uses. */
const CLIENTS = [
  { how: "connections", what: "undici's connections alone" },
  { how: "pool", what: "undici's pool" },
  { how: "guard", what: "the egress guard" }
] as const

type Kind = "ok" | "fail" | "hang"

const HEALTHY: ReadonlyArray<Kind> = ["ok"]
/** Of each five endpoints one hangs and one fails. */
const MIXED: ReadonlyArray<Kind> = ["ok", "hang", "ok", "fail", "ok"]

const figure = (value: number, digits = 0) => value.toFixed(digits)
const say = (what: string, ...figures: ReadonlyArray<string>) => console.log([what.padEnd(44), ...figures].join("  "))

const database = await startDatabase()
const receiver = await startReceiver(scheme)

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

const drainOf = (tenants: ReadonlyArray<BenchTenant>) =>
  drain(database, receiver, tenants, Math.max(1, Math.round(deliveries / (ORGANIZATIONS * ENDPOINTS_EACH))))

const median = (of: ReadonlyArray<number>) => {
  const sorted = [...of].sort((one, other) => one - other)
  const [below = Number.NaN, above = Number.NaN] = [sorted[(of.length - 1) >> 1], sorted[of.length >> 1]]
  return (below + above) / 2
}

const sayDrained = (what: string, drained: ReadonlyArray<Drained>) => {
  const of = (figureOf: (one: Drained) => number) => median(drained.map(figureOf))
  const perSecond = of((one) => one.perSecond)
  say(
    what,
    `${figure(perSecond)}/s`,
    `${figure(
      of((one) => one.statementsPerDelivery),
      3
    )} statements`,
    `${figure(of((one) => one.walBytesPerDelivery))} B of WAL`,
    `${figure(of((one) => one.workerMicros))} µs worker`,
    `${figure(of((one) => one.postgresMicros))} µs Postgres`
  )
  return perSecond
}

const percent = (part: number, whole: number) => `${figure((part / whole) * 100)} %`

const measureSteady = async (what: string, tenants: ReadonlyArray<BenchTenant>) => {
  const measured = await measureLatency(database, receiver, tenants, steady)
  const { busy, busyWithOthers, deliveries: count, p50, p95, p99, postgresMicros, statements } = measured
  say(
    what,
    `p50 ${figure(p50, 1)} ms`,
    `p95 ${figure(p95, 1)} ms`,
    `p99 ${figure(p99, 1)} ms`,
    `of ${count}`,
    `${figure(statements, 1)} statements and ${figure(postgresMicros)} µs Postgres an event`,
    `processors busy ${percent(busy, 1)}, with others ${percent(busyWithOthers, 1)}`
  )
  return { p95, p99 }
}

try {
  await prepare({ databaseUrl: database.url, databaseOwnerUrl: database.url, secretsKey: SECRETS_KEY, known: null })
  const clients = CLIENTS.map((client) => {
    const raced: Array<Raced> = []
    return { ...client, raced }
  })
  const drained: Array<Drained> = []
  for (let round = 0; round < rounds; round++) {
    if (parts.has("client")) {
      // The order rotates, so that each client is in its turn the one measured right before the drain.
      for (const place of clients.keys()) {
        const client = clients[(place + round) % clients.length]
        await receiver.reset()
        client?.raced.push(await raceClient(client.how, receiver.url("ok", 0), deliveries, IN_FLIGHT))
      }
    }
    if (parts.has("drain")) drained.push(await drainOf(await freshTenants(ORGANIZATIONS, ENDPOINTS_EACH, HEALTHY)))
  }
  if (parts.has("client")) {
    for (const { raced, what } of clients) {
      const [perSecond, micros] = [median(raced.map((one) => one.perSecond)), median(raced.map((one) => one.micros))]
      say(`(a) ${what}`, `${figure(perSecond)}/s`, `${figure(micros)} µs`)
    }
  }
  if (parts.has("statements")) {
    const [tenant] = await freshTenants(1, 1, HEALTHY)
    if (tenant !== undefined) {
      say("(b) statements alone", `${figure(await writeDeliveries(database.url, tenant, deliveries))}/s`)
    }
  }
  if (parts.has("drain")) {
    sayDrained("(c) whole worker, draining", drained)
    for (const { raced, what } of clients) {
      const shares = drained.map(({ perSecond }, round) => perSecond / (raced[round]?.perSecond ?? Number.NaN))
      if (raced.length > 0) say(`    of ${what}`, percent(median(shares), 1), ...shares.map((one) => percent(one, 1)))
    }
    sayDrained("    20 % hanging, 20 % failing: the healthy", [
      await drainOf(await freshTenants(ORGANIZATIONS, ENDPOINTS_EACH, MIXED))
    ])
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
    const empty = sayDrained("(f) draining on empty tables", [
      await drainOf(await freshTenants(ORGANIZATIONS, ENDPOINTS_EACH, HEALTHY))
    ])
    const tenants = await freshTenants(ORGANIZATIONS, ENDPOINTS_EACH, HEALTHY)
    const waiting = await makeTenant(database.url, [receiver.url("hang", 999)])
    await addBacklog(database, waiting, backlog)
    const beside = sayDrained(`    beside ${backlog.pending} future retries, ${backlog.old} old rows`, [
      await drainOf(tenants)
    ])
    say("    of that on empty tables", percent(beside, empty))
  }
} finally {
  receiver.stop()
  await database.stop()
}
