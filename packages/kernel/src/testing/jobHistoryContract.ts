import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { JOB_TEXT_LENGTH_MAX, type JobRunEnd, JobRunId } from "../JobRun.ts"
import { JobHistory, type NewJobRun } from "../ports/JobHistory.ts"
import { atomic, type UnitOfWork } from "../ports/UnitOfWork.ts"
import { anId } from "./builders.ts"

const SUCCEEDED: JobRunEnd = {
  status: "succeeded",
  itemsDone: 3,
  itemsTotal: 4,
  cursor: null,
  summary: "Forgot 3 things",
  error: null
}

/** Holds a history of jobs to its port. */
export const jobHistoryContract = <E>(adapter: string, adapterLayer: Layer.Layer<UnitOfWork | JobHistory, E>) =>
  describe(`history of jobs over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const aName = () => `things.prune_${SecureRandom.uuidV4Unsafe().slice(0, 8)}`
      const aRun = (name: string): NewJobRun => ({
        id: anId(JobRunId),
        name,
        trigger: "schedule",
        holder: "scheduler 17"
      })
      const begin = (run: NewJobRun) => JobHistory.use((history) => atomic(history.begin(run)))
      const note = (id: JobRunId, itemsDone: number, cursor: string | null) =>
        JobHistory.use((history) => atomic(history.note(id, { itemsDone, itemsTotal: 20, cursor })))
      const end = (id: JobRunId, how: JobRunEnd) => JobHistory.use((history) => atomic(history.end(id, how)))
      const find = (id: JobRunId) => JobHistory.use((history) => history.find(id))
      const ended = (name: string, how: JobRunEnd = SUCCEEDED) =>
        Effect.gen(function* () {
          const run = yield* begin(aRun(name))
          yield* end(run.id, how)
          return run
        })

      it.effect("remembers who does what, and how it ended", () =>
        Effect.gen(function* () {
          const given = aRun(aName())
          const run = yield* begin({ ...given, trigger: "operator" })
          const begun = { status: "running", itemsDone: 0, itemsTotal: null, cursor: null, finishedAt: null } as const
          assert.deepInclude(run, { ...given, trigger: "operator", ...begun })
          assert.deepStrictEqual(yield* find(run.id), run)
          assert.isTrue(yield* end(run.id, SUCCEEDED))
          const found = yield* find(run.id)
          assert.deepStrictEqual(found, { ...run, ...SUCCEEDED, finishedAt: found!.finishedAt })
          assert.isTrue(DateTime.isGreaterThanOrEqualTo(found!.finishedAt!, run.startedAt))
          assert.isUndefined(yield* find(anId(JobRunId)))
        })
      )

      it.effect("holds nobody off: of twenty who begin at once all begin", () =>
        Effect.gen(function* () {
          const name = aName()
          yield* Effect.forEach(Array.from({ length: 20 }), () => begin(aRun(name)), { concurrency: "unbounded" })
          const { items } = yield* JobHistory.use((history) => history.list(name, { limit: 50, before: undefined }))
          assert.lengthOf(items, 20)
          assert.strictEqual(items[0]?.status, "running")
        })
      )

      it.effect("lets different jobs run beside each other", () =>
        Effect.gen(function* () {
          const first = yield* begin(aRun(aName()))
          yield* begin(aRun(aName()))
          assert.strictEqual((yield* find(first.id))?.status, "running")
        })
      )

      it.effect("knows when each job succeeded last, whatever came after, and nothing of one that never did", () =>
        Effect.gen(function* () {
          const [good, never, other] = [aName(), aName(), aName()]
          yield* ended(good)
          const second = yield* ended(good)
          yield* ended(good, { ...SUCCEEDED, status: "failed", summary: null, error: "The disk is full" })
          yield* begin(aRun(good))
          yield* ended(never, { ...SUCCEEDED, status: "stopped", summary: null })
          yield* ended(other)
          const found = yield* JobHistory.use((history) => history.lastSuccesses([good, never]))
          assert.deepStrictEqual([...found], [[good, (yield* find(second.id))!.finishedAt!]])
        })
      )

      it.effect("takes a run for lost once the next begins, which goes on where that was", () =>
        Effect.gen(function* () {
          const name = aName()
          const first = yield* begin(aRun(name))
          yield* note(first.id, 7, "g")
          assert.deepInclude(yield* find(first.id), { status: "running", itemsDone: 7, itemsTotal: 20, cursor: "g" })
          const second = yield* begin(aRun(name))
          assert.deepInclude(second, { itemsDone: 0, itemsTotal: null, cursor: "g" })
          const lost = yield* find(first.id)
          assert.deepInclude(lost, { status: "lost", itemsDone: 7, itemsTotal: 20, cursor: "g" })
          assert.isNotNull(lost?.finishedAt)
          assert.strictEqual((yield* find(second.id))?.status, "running")
        })
      )

      it.effect("writes nothing more of a run that is over", () =>
        Effect.gen(function* () {
          const name = aName()
          const first = yield* begin(aRun(name))
          const second = yield* begin(aRun(name))
          yield* note(first.id, 9, "x")
          assert.isFalse(yield* end(first.id, SUCCEEDED))
          assert.deepInclude(yield* find(first.id), { status: "lost", itemsDone: 0, summary: null })
          assert.isTrue(yield* end(second.id, SUCCEEDED))
          assert.isFalse(yield* end(second.id, { ...SUCCEEDED, summary: "twice" }))
          assert.strictEqual((yield* find(second.id))?.summary, SUCCEEDED.summary)
        })
      )

      it.effect("goes on after a failure or a stop, and begins anew after a success", () =>
        Effect.gen(function* () {
          const name = aName()
          yield* ended(name, { ...SUCCEEDED, status: "failed", cursor: "m", summary: null, error: "out of reach" })
          const run = yield* begin(aRun(name))
          assert.strictEqual(run.cursor, "m")
          yield* end(run.id, { ...SUCCEEDED, status: "stopped", cursor: "p" })
          const third = yield* begin(aRun(name))
          assert.strictEqual(third.cursor, "p")
          yield* end(third.id, { ...SUCCEEDED, cursor: "z" })
          assert.isNull((yield* begin(aRun(name))).cursor)
        })
      )

      it.effect("keeps nothing of a transaction that fails", () =>
        Effect.gen(function* () {
          const history = yield* JobHistory
          const run = aRun(aName())
          yield* Effect.exit(atomic(Effect.andThen(history.begin(run), Effect.fail("refused"))))
          assert.isUndefined(yield* find(run.id))
          assert.strictEqual((yield* begin(run)).status, "running")
        })
      )

      it.effect("shows the latest run of each job, and a job's runs page by page with the last first", () =>
        Effect.gen(function* () {
          const history = yield* JobHistory
          const [name, other] = [aName(), aName()]
          const runs = [yield* ended(name), yield* ended(name), yield* ended(name)]
          const running = yield* begin(aRun(other))
          const latest = yield* history.latest
          assert.strictEqual(latest.get(name)?.id, runs[2]?.id)
          assert.deepInclude(latest.get(other), { id: running.id, status: "running" })
          const first = yield* history.list(name, { limit: 2, before: undefined })
          const rest = yield* history.list(name, { limit: 2, before: first.next })
          const ids = [...first.items, ...rest.items].map((run) => run.id)
          assert.deepStrictEqual(ids, runs.map((run) => run.id).reverse())
          assert.isUndefined(rest.next)
          const [newest] = (yield* history.list(undefined, { limit: 1, before: undefined })).items
          assert.strictEqual(newest?.id, running.id)
        })
      )

      it.effect("keeps texts of a bounded length", () =>
        Effect.gen(function* () {
          const long = "x".repeat(JOB_TEXT_LENGTH_MAX + 1)
          const { id } = yield* ended(aName(), { ...SUCCEEDED, status: "failed", summary: long, error: long })
          const found = yield* find(id)
          assert.deepStrictEqual(
            [found?.summary?.length, found?.error?.length],
            [JOB_TEXT_LENGTH_MAX, JOB_TEXT_LENGTH_MAX]
          )
        })
      )

      it.effect("forgets what is old or more than is kept of a job, and never its latest run", () =>
        Effect.gen(function* () {
          const history = yield* JobHistory
          const [many, one] = [aName(), aName()]
          const runs = [yield* ended(many), yield* ended(many), yield* ended(many)]
          const single = yield* ended(one)
          const now = yield* DateTime.now
          yield* atomic(history.prune({ before: DateTime.subtract(now, { days: 1 }), perJob: 2, max: 100 }))
          assert.isUndefined(yield* find(runs[0]!.id))
          assert.isDefined(yield* find(runs[1]!.id))
          yield* atomic(history.prune({ before: DateTime.add(now, { days: 1 }), perJob: 2, max: 100 }))
          assert.isUndefined(yield* find(runs[1]!.id))
          assert.isDefined(yield* find(runs[2]!.id))
          assert.isDefined(yield* find(single.id))
        })
      )

      it.effect("forgets no more at once than it is asked to", () =>
        Effect.gen(function* () {
          const history = yield* JobHistory
          const name = aName()
          for (let count = 0; count < 6; count++) yield* ended(name)
          const before = DateTime.add(yield* DateTime.now, { days: 1 })
          while ((yield* atomic(history.prune({ before, perJob: 10, max: 1_000 }))) === 1_000);
          for (let count = 0; count < 5; count++) yield* ended(name)
          const prune = atomic(history.prune({ before, perJob: 10, max: 3 }))
          assert.deepStrictEqual([yield* prune, yield* prune, yield* prune], [3, 2, 0])
        })
      )
    })
  })
