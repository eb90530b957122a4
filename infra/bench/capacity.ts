/**
 * `npm run bench:capacity [-- --apis 2 --workers 2 --runs 6000 --rounds 3]`: what a run, a model call, a log event, a delivery and a reading
 * cost API, worker and Postgres, in processor time, WAL, storage and transactions. What a part costs is the difference between runs
 * with and without it, taken by turns. `npm run capacity` makes machines out of the figures; docs/capacity.md has both.
 */
import { readFlags } from "../local/flags.ts"
import { fire } from "./api/load.ts"
import { type CapacityTenant, startDeployment, type Used } from "./capacity/deployment.ts"
import { startReceiver } from "./delivery/processes.ts"

const {
  apis,
  connections,
  pool,
  rounds,
  runs,
  tenants: TENANTS,
  workers
} = readFlags(
  "npm run bench:capacity",
  "What runs, model calls, log events, deliveries and readings cost each part of a deployment.",
  {
    apis: { value: "N", default: 1, says: "How many APIs" },
    workers: { value: "N", default: 1, says: "How many workers" },
    runs: { value: "N", default: 6_000, says: "Runs of each kind and round" },
    rounds: { value: "N", default: 3, says: "How often each kind is measured" },
    tenants: { value: "N", default: 8, says: "Organizations that the runs are of" },
    connections: { value: "N", default: 32, says: "Connections of callers to each API" },
    pool: { value: "N", default: 10, says: "DATABASE_POOL_MAX of each process" }
  }
)

const say = (line: string) => process.stdout.write(`${line}\n`)

/** The steps of the runs, by the recipe `demo`, and how many of each a run has. */
const END = { return: 1 }
const CALLS = 4
const SPEND = { spend: { provider: "openai", model: "gpt-4o-mini", input_tokens: 1_000, output_tokens: 200 } }
const EVENTS = 20
const SAY = { say: "Some words of an answer. " }
const ENDPOINTS = 2

const receiver = await startReceiver()
const deployment = await startDeployment(apis, workers, pool)

/** The counters that are subtracted as they are; of `position`, `logged` makes bytes. */
type Counted = Exclude<keyof Used, "position">

/** The costs of one run, call, request or second: those of a measurement, divided by how many there were. */
type Costs = Readonly<Record<Counted | "walBytes" | "pageBytes" | "seconds", number>>

const measured = async (count: number, act: () => Promise<unknown>): Promise<Costs> => {
  const [before, begun] = [await deployment.used(), performance.now()]
  await act()
  const [after, seconds] = [await deployment.used(), (performance.now() - begun) / 1_000]
  const { position: from, ...first } = before
  const { position: to, ...last } = after
  const { pageBytes, walBytes } = await deployment.logged(from, to)
  const names = Object.keys(first) as ReadonlyArray<Counted>
  return Object.assign(
    { seconds: seconds / count, walBytes: walBytes / count, pageBytes: pageBytes / count },
    Object.fromEntries(names.map((name) => [name, (last[name] - first[name]) / count]))
  ) as Costs
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

const medians = (costs: ReadonlyArray<Costs>): Costs => {
  const names = Object.keys(costs[0] ?? {}) as ReadonlyArray<keyof Costs>
  return Object.fromEntries(names.map((name) => [name, median(costs.map((one) => one[name]))])) as Costs
}

const difference = (more: Costs, less: Costs, count: number): Costs => {
  const names = Object.keys(more) as ReadonlyArray<keyof Costs>
  return Object.fromEntries(names.map((name) => [name, (more[name] - less[name]) / count])) as Costs
}

const micros = (seconds: number) => Math.round(seconds * 1e6)

const HEAD = [
  "",
  "API, µs",
  "worker, µs",
  "Postgres, µs",
  "WAL, B",
  "and pages, B",
  "stored, B",
  "statements",
  "commits",
  "xids"
]

const lineOf = (what: string, costs: Costs) => [
  what,
  micros(costs.api),
  micros(costs.worker),
  micros(costs.postgres),
  Math.round(costs.walBytes),
  Math.round(costs.pageBytes),
  Math.round(costs.storedBytes),
  costs.statements.toFixed(2),
  costs.commits.toFixed(2),
  costs.transactionIds.toFixed(2)
]

const table = (lines: ReadonlyArray<ReadonlyArray<string | number>>) => {
  for (const cells of [HEAD, HEAD.map(() => "---"), ...lines]) say(`| ${cells.join(" | ")} |`)
}

const makeTenants = async (kind: string): Promise<ReadonlyArray<CapacityTenant>> => {
  const made: Array<CapacityTenant> = []
  for (let number = 0; number < TENANTS; number++) made.push(await deployment.makeTenant(`${kind} ${number}`))
  return made
}

try {
  const [silent, subscribed] = [await makeTenants("Silent"), await makeTenants("Subscribed")]
  const [api] = deployment.apis
  for (const { orgKey } of subscribed) {
    for (let number = 0; number < ENDPOINTS; number++) {
      const made = await api?.ask(orgKey, "POST", "/api/v1/org/webhooks", {
        url: receiver.url("ok", number),
        event_types: ["run.succeeded"]
      })
      if (made?.status !== 201) throw new Error(`No endpoint was made: ${JSON.stringify(made?.body)}`)
    }
  }
  // Each kind but the plain one has one part more, and a part costs the difference.
  const kinds = [
    { name: "plain", tenants: silent, steps: [END], runs },
    { name: "calls", tenants: silent, steps: [...Array<object>(CALLS).fill(SPEND), END], runs: runs / CALLS },
    { name: "events", tenants: silent, steps: [...Array<object>(EVENTS).fill(SAY), END], runs },
    { name: "delivered", tenants: subscribed, steps: [END], runs }
  ] as const
  const found = new Map<string, Array<Costs>>()
  // Warm: Node has compiled what a request takes after some thousand of them, and the first checkpoint is over.
  for (const { tenants, ...load } of kinds) await deployment.drive(tenants, { connections, ...load })
  await deployment.query("checkpoint")
  for (let round = 0; round < rounds; round++) {
    for (const { name, tenants, ...load } of kinds) {
      const costs = await measured(load.runs, () => deployment.drive(tenants, { connections, ...load }))
      found.set(name, [...(found.get(name) ?? []), costs])
      say(lineOf(`round ${round + 1}, ${name}`, costs).join(" | "))
    }
  }
  const mediansOf = (name: string) => medians(found.get(name) ?? [])
  const [plain, calls, events, delivered] = ["plain", "calls", "events", "delivered"].map(mediansOf) as [
    Costs,
    Costs,
    Costs,
    Costs
  ]
  const [reader] = silent
  const listed = await api?.ask(reader?.key ?? "", "GET", "/api/v1/runs/?limit=50")
  const items = (listed?.body["items"] ?? []) as ReadonlyArray<{ readonly run_id: string }>
  const paths = items.map(({ run_id }) => `/api/v1/runs/${run_id}`)
  const READS = 6_000
  const read = () =>
    Promise.all(
      deployment.apis.map(({ port }) =>
        fire(
          { port, method: "GET", paths, key: reader?.key ?? "", status: 200 },
          { connections, seconds: 600, requestsMax: READS / apis }
        )
      )
    )
  await read()
  const reading = await measured(READS, read)
  // Measured per second, which is why the seconds are its count.
  const IDLE_SECONDS = 10
  const idle = await measured(IDLE_SECONDS, () => new Promise((resolve) => setTimeout(resolve, IDLE_SECONDS * 1_000)))
  say(
    `${apis} APIs and ${workers} workers, medians of ${rounds} rounds of ${runs} runs of ${TENANTS} organizations, each:`
  )
  table([
    lineOf("a run that does nothing", plain),
    lineOf("a model call of it", difference(calls, plain, CALLS)),
    // The whole text of a run comes once more, in an event of its own.
    lineOf("a log event of it", difference(events, plain, EVENTS + 1)),
    lineOf("a delivery of its outcome", difference(delivered, plain, ENDPOINTS)),
    lineOf("GET of a run", reading),
    lineOf("a second in which nothing happens, all processes", idle)
  ])
  for (const [name, costs] of found)
    say(`${name}: ${costs.map(({ seconds }) => (1 / seconds).toFixed(0)).join(", ")} runs/s`)
  const largest = await deployment.query<{ readonly name: string; readonly bytes: string; readonly indexes: string }>(`
    select relname as name, pg_total_relation_size(oid)::text as bytes, pg_indexes_size(oid)::text as indexes from pg_class
    where relnamespace = 'agent_platform'::regnamespace and relkind = 'r' order by pg_total_relation_size(oid) desc limit 8
  `)
  for (const { bytes, indexes, name } of largest) say(`${name}: ${bytes} B, indexes ${indexes} B`)
  const dead = await deployment.query<{
    readonly name: string
    readonly dead: string
    readonly updated: string
    readonly hot: string
  }>(`
    select relname as name, n_dead_tup::text as dead, n_tup_upd::text as updated, n_tup_hot_upd::text as hot
    from pg_stat_user_tables where n_tup_upd + n_tup_del > 0 order by n_tup_upd + n_tup_del desc limit 6
  `)
  for (const { dead: left, hot, name, updated } of dead)
    say(`${name}: ${updated} updates, ${hot} of them in place, ${left} dead rows now`)
  const [open] = await deployment.query<{ readonly count: number }>(
    "select count(*)::int as count from pg_stat_activity where application_name like 'agent-platform-%'"
  )
  say(`connections: ${open?.count}`)
} finally {
  await deployment.stop()
  receiver.stop()
}
process.exit(0)
