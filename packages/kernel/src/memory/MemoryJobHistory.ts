import { DateTime, Effect, Layer } from "effect"
import { JobAlreadyRunning, type JobRun, type JobRunStatus, keptText, resumedFrom } from "../JobRun.ts"
import { toPage } from "../Page.ts"
import { JobHistory } from "../ports/JobHistory.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

interface Row {
  readonly run: JobRun
  readonly leaseUntil: DateTime.Utc
}

/** The run as it is to be read at `now`: lost where its lease has lapsed. */
const asOf = ({ leaseUntil, run }: Row, now: DateTime.Utc): JobRun => {
  const isLost = run.status === "running" && DateTime.isLessThanOrEqualTo(leaseUntil, now)
  const status: JobRunStatus = isLost ? "lost" : run.status
  return { ...run, status }
}

/** The history of jobs over a `MemoryDatabase`. */
export const layerJobHistory: Layer.Layer<JobHistory, never, MemoryDatabase> = Layer.effect(
  JobHistory,
  MemoryDatabase.use((database) => {
    const rows = database.table<Row>("job_run")
    const newestFirst = Effect.map(rows.all, (all) => [...all].reverse())
    const put = (run: JobRun, leaseUntil: DateTime.Utc) => rows.put(run.id, { run, leaseUntil })
    /** The row of a run that nobody has taken over. */
    const running = (id: string) => Effect.map(rows.get(id), (row) => (row?.run.status === "running" ? row : undefined))

    return Effect.succeed(
      JobHistory.of({
        begin: Effect.fnUntraced(function* (given, { leaseSeconds }) {
          const now = yield* DateTime.now
          const [last] = (yield* newestFirst).filter(({ run }) => run.name === given.name)
          const before = last && asOf(last, now)
          if (before?.status === "running") return yield* new JobAlreadyRunning(before)
          if (last !== undefined && before?.status === "lost") {
            yield* put({ ...before, finishedAt: before.finishedAt ?? now }, last.leaseUntil)
          }
          const run: JobRun = {
            ...given,
            status: "running",
            startedAt: now,
            finishedAt: null,
            itemsDone: 0,
            cursor: resumedFrom(before),
            summary: null,
            error: null
          }
          yield* put(run, DateTime.add(now, { seconds: leaseSeconds }))
          return { run, cursor: run.cursor }
        }),
        renew: Effect.fnUntraced(function* (id, progress, { leaseSeconds }) {
          const row = yield* running(id)
          if (row === undefined) return false
          yield* put({ ...row.run, ...progress }, DateTime.add(yield* DateTime.now, { seconds: leaseSeconds }))
          return true
        }),
        end: Effect.fnUntraced(function* (id, { cursor, error, itemsDone, status, summary }) {
          const row = yield* running(id)
          if (row === undefined) return false
          const finishedAt = yield* DateTime.now
          const said = { summary: keptText(summary), error: keptText(error) }
          yield* put({ ...row.run, status, finishedAt, itemsDone, cursor, ...said }, row.leaseUntil)
          return true
        }),
        find: (id) =>
          Effect.gen(function* () {
            const row = yield* rows.get(id)
            return row && asOf(row, yield* DateTime.now)
          }),
        latest: Effect.gen(function* () {
          const now = yield* DateTime.now
          const found = new Map<string, JobRun>()
          for (const row of yield* newestFirst) if (!found.has(row.run.name)) found.set(row.run.name, asOf(row, now))
          return found
        }),
        list: Effect.fnUntraced(function* (name, { before, limit }) {
          const now = yield* DateTime.now
          const all = (yield* newestFirst).map((row) => asOf(row, now))
          const behind = all.slice(before === undefined ? 0 : all.findIndex((run) => run.id === before) + 1)
          const mine = behind.filter((run) => name === undefined || run.name === name)
          return toPage(mine.slice(0, limit + 1), limit, (run) => run.id)
        }),
        prune: Effect.fnUntraced(function* ({ before, perJob }) {
          const gone: Array<JobRun> = []
          for (const ofJob of Map.groupBy(yield* newestFirst, ({ run }) => run.name).values()) {
            const old = ofJob.filter(
              ({ run }, place) => place > 0 && (place >= perJob || DateTime.isLessThan(run.startedAt, before))
            )
            gone.push(...old.map(({ run }) => run))
          }
          yield* Effect.forEach(gone, (run) => rows.remove(run.id), { discard: true })
          return gone.length
        })
      })
    )
  })
)
