/**
 * `npm run capacity [-- --millions 10,100,1000 --calls 2 …]`: the machines that so many runs a day need, and which limit of one Postgres
 * comes first. Arithmetic over the figures of `npm run bench:capacity`; docs/capacity.md explains it.
 */
import { readFlags } from "../local/flags.ts"
import { MEASURED_COSTS } from "./capacity/measuredCosts.ts"
import { type Plan, planOf, type UnitCost, type UnitCosts } from "./capacity/plan.ts"

const values = readFlags("npm run capacity", "The machines that so many runs a day need.", {
  millions: { value: "TEXT", default: "10,100,1000", says: "Millions of runs a day, with commas between" },
  peak: { value: "N", default: 3, says: "By how much the busiest minute is above the mean" },
  seconds: { value: "N", default: 10, says: "How long a run takes" },
  calls: { value: "N", default: 2, says: "Model calls of a run" },
  events: { value: "N", default: 20, says: "Log events of a run beside its first and last" },
  deliveries: { value: "N", default: 1, says: "Endpoints that its outcome is delivered to" },
  reads: { value: "N", default: 3, says: "Requests that read it" },
  "call-ms": { value: "N", default: 5, says: "Processor time of a worker for a call's HTTP and stream, ms" },
  days: { value: "N", default: 35, says: "Days that a run is kept: RUN_HISTORY_DAYS" },
  utilization: { value: "N", default: 0.6, says: "Which part of a core is used at the peak" },
  speed: { value: "N", default: 1, says: "How many times as fast as the measured one a core is" },
  pool: { value: "N", default: 10, says: "DATABASE_POOL_MAX" },
  "runs-max": { value: "N", default: 100, says: "WORKER_RUNS_MAX" },
  cores: { value: "N", default: 64, says: "Cores of the largest Postgres" },
  wal: { value: "N", default: 100, says: "Megabytes of WAL a second that its disk and its standbys follow" },
  terabytes: { value: "N", default: 30, says: "Its storage" },
  connections: { value: "N", default: 2_000, says: "Its max_connections" },
  "freeze-hours": { value: "N", default: 6, says: "How long it takes to freeze the largest table" }
})

const say = (line = "") => process.stdout.write(`${line}\n`)

const faster = ({ api, postgres, worker, ...others }: UnitCost): UnitCost => ({
  ...others,
  api: api / values.speed,
  worker: worker / values.speed,
  postgres: postgres / values.speed
})

const { call, delivery, event, read, run } = MEASURED_COSTS
const costs: UnitCosts = {
  run: faster(run),
  call: faster(call),
  event: faster(event),
  delivery: faster(delivery),
  read: faster(read)
}

const millionsOfRuns = values.millions.split(",").map(Number)
if (millionsOfRuns.some((one) => !(one > 0))) throw new Error("--millions is numbers above 0 with commas between")
if (!(values.speed > 0 && values.utilization > 0)) throw new Error("--speed and --utilization are above 0")

const plans = millionsOfRuns.map((millions) =>
  planOf(
    costs,
    {
      runsPerDay: millions * 1e6,
      peak: values.peak,
      secondsPerRun: values.seconds,
      calls: values.calls,
      events: values.events,
      deliveries: values.deliveries,
      reads: values.reads,
      callMicros: (values["call-ms"] * 1_000) / values.speed,
      daysKept: values.days,
      utilization: values.utilization,
      poolMax: values.pool,
      runsMax: values["runs-max"]
    },
    {
      cores: values.cores,
      walMegabytesPerSecond: values.wal,
      storedTerabytes: values.terabytes,
      connections: values.connections,
      freezeHours: values["freeze-hours"]
    }
  )
)

const round = (value: number) => (value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toPrecision(2))
const percent = (share: number) => `${Math.round(share * 100).toLocaleString("en-US")} %`

const LINES: ReadonlyArray<readonly [string, (plan: Plan) => string]> = [
  ["Runs a second at the peak", (plan) => round(plan.peakRunsPerSecond)],
  ["Runs that execute at once", (plan) => round(plan.executing)],
  ["APIs, of one core each", ({ apis }) => round(apis)],
  ["Workers, of one core each", ({ workers }) => round(workers)],
  ["Cores of Postgres", ({ postgresCores }) => round(postgresCores)],
  ["WAL at the peak, MB/s", (plan) => round(plan.walMegabytesPerSecond)],
  ["WAL of a day, GB", (plan) => round(plan.walGigabytesPerDay)],
  ["Stored, TB", ({ storedTerabytes }) => round(storedTerabytes)],
  ["Connections", ({ connections }) => round(connections)],
  ["Hours until old rows must be frozen", ({ hoursToFreeze }) => round(hoursToFreeze)],
  ["First limit of one Postgres, and how full", ({ shares: [first] }) => `${first.limit}, ${percent(first.share)}`],
  [
    "The next",
    ({ shares }) =>
      shares
        .slice(1, 3)
        .map(({ limit, share }) => `${limit} ${percent(share)}`)
        .join(", ")
  ],
  [
    "One Postgres serves it",
    ({ shares: [first] }) => (first.share <= 0.5 ? "yes" : first.share <= 1 ? "at its limits" : "no")
  ]
]

say(`| Runs a day | ${millionsOfRuns.map((millions) => `${round(millions)} million`).join(" | ")} |`)
say(`| --- |${millionsOfRuns.map(() => " --- |").join("")}`)
for (const [title, cellOf] of LINES) say(`| ${title} | ${plans.map(cellOf).join(" | ")} |`)
