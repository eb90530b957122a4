/** Jobs by the clock and the measures of workers, for the bundle. */
import { JobHistory, type JobRun } from "@agent-platform/kernel"
import { queueReading } from "@agent-platform/pg-boss"
import { CLOCK, JOB_KINDS, jobReading } from "@agent-platform/platform"
import { cancellable, DATABASE_READINGS } from "@agent-platform/postgres"
import { Array as Arr, DateTime, Effect, Metric, Order } from "effect"
import { errorKindOf } from "./errorKind.ts"

/** How many runs of each job are listed. */
const RUNS_MAX = 20

const iso = (at: DateTime.Utc | null) => (at === null ? null : DateTime.formatIso(at))

const rowOf = (run: JobRun) => ({
  trigger: run.trigger,
  // The rest of the holder's name is that of a machine.
  held_by: /^(scheduler|worker|admin)\b/.exec(run.holder)?.[0] ?? "another",
  status: run.status,
  started_at: iso(run.startedAt),
  finished_at: iso(run.finishedAt),
  items_done: run.itemsDone,
  items_total: run.itemsTotal,
  is_to_go_on: run.cursor !== null,
  error_kind: run.error === null ? null : errorKindOf(run.error)
})

/** The last runs of every job, newest first. */
export const jobsSection = JobHistory.use((history) =>
  Effect.forEach(CLOCK, ({ cron, kind: { name } }) =>
    Effect.map(history.list(name, { limit: RUNS_MAX, before: undefined }), ({ items }) => ({
      name,
      cron,
      runs: items.map(rowOf)
    }))
  )
)

/** The measures that workers and schedulers read of the database, under their names. In a registry of their own, which has no others. */
export const readingsSection = Effect.gen(function* () {
  for (const { read } of DATABASE_READINGS) yield* cancellable(read)
  yield* cancellable(queueReading(JOB_KINDS).read)
  yield* cancellable(jobReading(CLOCK).read)
  const all = yield* Metric.snapshot
  const readings = all.flatMap(({ attributes, id, state, type }) =>
    type === "Gauge" && id.startsWith("agent_platform_")
      ? [{ name: id, labels: attributes ?? {}, value: Number(state.value) }]
      : []
  )
  return Arr.sortWith(readings, ({ name }) => name, Order.String)
}).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
