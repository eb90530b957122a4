import { DateTime, Effect } from "effect"
import { type JobRun, keptText, resumedFrom } from "../JobRun.ts"
import { toPage } from "../Page.ts"
import { JobHistory } from "../ports/JobHistory.ts"
import { layerMemory } from "./MemoryDatabase.ts"

/** The history of jobs over a `MemoryDatabase`. */
export const layerJobHistory = layerMemory(JobHistory)((database) => {
  const runs = database.table<JobRun>("job_run")
  const newestFirst = Effect.map(runs.all, (all) => [...all].reverse())
  const findRunning = (id: string) => Effect.map(runs.get(id), (run) => (run?.status === "running" ? run : undefined))

  return {
    begin: Effect.fnUntraced(function* (given) {
      const now = yield* DateTime.now
      const ofJob = (yield* newestFirst).filter(({ name }) => name === given.name)
      for (const run of ofJob) {
        if (run.status === "running") yield* runs.put(run.id, { ...run, status: "lost", finishedAt: now })
      }
      const run: JobRun = {
        ...given,
        status: "running",
        startedAt: now,
        finishedAt: null,
        itemsDone: 0,
        itemsTotal: null,
        cursor: resumedFrom(ofJob[0]),
        summary: null,
        error: null
      }
      yield* runs.put(run.id, run)
      return run
    }),
    note: Effect.fnUntraced(function* (id, { cursor, itemsDone, itemsTotal }) {
      const run = yield* findRunning(id)
      if (run !== undefined) yield* runs.put(id, { ...run, cursor, itemsDone, itemsTotal })
    }),
    end: Effect.fnUntraced(function* (id, { cursor, error, itemsDone, itemsTotal, status, summary }) {
      const run = yield* findRunning(id)
      if (run === undefined) return false
      const finishedAt = yield* DateTime.now
      const texts = { summary: keptText(summary), error: keptText(error) }
      yield* runs.put(id, { ...run, status, finishedAt, itemsDone, itemsTotal, cursor, ...texts })
      return true
    }),
    find: (id) => runs.get(id),
    latest: Effect.map(runs.all, (all) => new Map(all.map((run) => [run.name, run]))),
    lastSuccesses: (names) =>
      Effect.map(
        runs.all,
        (all) =>
          new Map(
            all.flatMap(({ finishedAt, name, status }) =>
              status === "succeeded" && finishedAt !== null && names.includes(name) ? [[name, finishedAt]] : []
            )
          )
      ),
    list: Effect.fnUntraced(function* (name, { before, limit }) {
      const all = yield* newestFirst
      const behind = all.slice(before === undefined ? 0 : all.findIndex((run) => run.id === before) + 1)
      const listed = behind.filter((run) => name === undefined || run.name === name)
      return toPage(listed, limit, (run) => run.id)
    }),
    prune: Effect.fnUntraced(function* ({ before, max, perJob }) {
      const gone: Array<JobRun> = []
      for (const ofJob of Map.groupBy(yield* newestFirst, ({ name }) => name).values()) {
        gone.push(
          ...ofJob.filter((run, index) => index > 0 && (index >= perJob || DateTime.isLessThan(run.startedAt, before)))
        )
      }
      const portion = gone.slice(0, max)
      yield* Effect.forEach(portion, (run) => runs.remove(run.id), { discard: true })
      return portion.length
    })
  }
})
