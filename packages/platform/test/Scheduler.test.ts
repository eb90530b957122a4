/** How jobs that are due by the clock are taken, given back and tried again. */
import { JobHistory, JobQueue, JobRunId, JobSource, UnitOfWork } from "@agent-platform/kernel"
import { layer, MemoryDatabase } from "@agent-platform/kernel/memory"
import { anId } from "@agent-platform/kernel/testing"
import { JobHolder, reportProgress, type ScheduledJob, Scheduler, scheduledKind } from "@agent-platform/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { TestClock } from "effect/testing"

const kind = scheduledKind("things.prune")
const aJob = (run: Effect.Effect<string>): ScheduledJob<never> => ({ kind, cron: "0 * * * *", does: "Forgets", run })

const test = (title: string, effect: Effect.Effect<void, unknown, Layer.Success<typeof layer>>) =>
  it.effect(title, () => Effect.provide(effect, Layer.fresh(layer)))

const enqueue = (trigger?: "operator") =>
  Effect.gen(function* () {
    const [unit, queue] = [yield* UnitOfWork, yield* JobQueue]
    yield* unit.atomic(queue.enqueue(kind, trigger === undefined ? {} : { trigger }))
  })

const scheduling = (run: Effect.Effect<string>) =>
  Layer.build(Layer.provide(Scheduler.layerOf([aJob(run)]), Layer.succeed(JobHolder, "scheduler 1")))

const history = Effect.map(
  JobHistory.use((store) => store.list("things.prune", { limit: 50, before: undefined })),
  ({ items }) => items
)

/** Whether nothing is left to do, whoever holds it. */
const isDone = Effect.flatMap(MemoryDatabase, (database) =>
  Effect.map(database.table("job").all, (jobs) => jobs.length === 0)
)

describe("the scheduler", () => {
  test(
    "does what is due, and remembers who had it done",
    Effect.scoped(
      Effect.gen(function* () {
        yield* scheduling(Effect.succeed("Forgot nothing"))
        yield* enqueue()
        yield* TestClock.adjust("20 seconds")
        yield* enqueue("operator")
        yield* TestClock.adjust("20 seconds")
        const [second, first] = yield* history
        assert.deepInclude(first, { trigger: "schedule", holder: "scheduler 1", status: "succeeded" })
        assert.strictEqual(second?.trigger, "operator")
        assert.isTrue(yield* isDone)
      })
    )
  )

  test(
    "says what a job came to, and only to those who look closely where there was nothing to do",
    Effect.suspend(() => {
      const lines: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => {
        lines.push(`${logLevel}: ${message}`)
      })
      let found = 0
      const run = Effect.suspend(() =>
        Effect.as(reportProgress({ itemsDone: found, cursor: null }), `Forgot ${found++} things`)
      )
      return Effect.scoped(
        Effect.gen(function* () {
          yield* scheduling(run)
          yield* enqueue()
          yield* TestClock.adjust("20 seconds")
          yield* enqueue()
          yield* TestClock.adjust("20 seconds")
          assert.deepStrictEqual(lines, ["Debug: Forgot 0 things", "Info: Forgot 1 things"])
        })
      ).pipe(Effect.provide(Logger.layer([logger])), Effect.provideService(References.MinimumLogLevel, "Debug"))
    })
  )

  test(
    "tries a job again that failed, later each time",
    Effect.scoped(
      Effect.gen(function* () {
        let tries = 0
        yield* scheduling(
          Effect.suspend(() => (++tries < 3 ? Effect.die(new Error("Away")) : Effect.succeed("Done at last")))
        )
        yield* enqueue()
        yield* TestClock.adjust("20 seconds")
        assert.strictEqual(tries, 1)
        yield* TestClock.adjust("75 seconds")
        assert.strictEqual(tries, 2)
        yield* TestClock.adjust("150 seconds")
        assert.strictEqual(tries, 3)
        assert.deepStrictEqual(
          (yield* history).map(({ status }) => status),
          ["succeeded", "failed", "failed"]
        )
        assert.isTrue(yield* isDone)
        assert.deepStrictEqual([1, 2, 3, 50].map(Scheduler.retryDelaySeconds), [60, 120, 240, 3_600])
      })
    )
  )

  test(
    "takes a job that is being done already for done",
    Effect.scoped(
      Effect.gen(function* () {
        const [unit, store] = [yield* UnitOfWork, yield* JobHistory]
        const other = { id: anId(JobRunId), name: kind.name, trigger: "operator", holder: "admin 9" } as const
        yield* unit.atomic(store.begin(other, { leaseSeconds: 3_600 }))
        yield* scheduling(Effect.succeed("twice"))
        yield* enqueue()
        yield* TestClock.adjust("20 seconds")
        assert.isTrue(yield* isDone)
        assert.strictEqual((yield* history).length, 1)
      })
    )
  )

  test(
    "looks again after a job whose first holder left it, until the other that does it has come to its end",
    Effect.scoped(
      Effect.gen(function* () {
        const [unit, store, source] = [yield* UnitOfWork, yield* JobHistory, yield* JobSource]
        yield* enqueue()
        yield* source.release(yield* source.take(kind, 1))
        const other = { id: anId(JobRunId), name: kind.name, trigger: "schedule", holder: "scheduler 0" } as const
        yield* unit.atomic(store.begin(other, { leaseSeconds: 25 }))
        yield* scheduling(Effect.succeed("taken over"))
        yield* TestClock.adjust("10 seconds")
        assert.isFalse(yield* isDone)
        yield* TestClock.adjust("60 seconds")
        assert.isTrue(yield* isDone)
        const [latest, before] = yield* history
        assert.deepStrictEqual([latest?.summary, before?.status], ["taken over", "lost"])
      })
    )
  )

  test(
    "keeps no job that it could not hand back while the store was away",
    Effect.scoped(
      Effect.gen(function* () {
        const source = yield* JobSource
        let [tries, refusals] = [0, 0]
        const away = JobSource.of({
          ...source,
          release: (jobs, options) =>
            Effect.suspend(() => (++refusals < 4 ? Effect.die(new Error("Away")) : source.release(jobs, options)))
        })
        yield* scheduling(
          Effect.suspend(() => (++tries < 2 ? Effect.die(new Error("Away")) : Effect.succeed("Done")))
        ).pipe(Effect.provideService(JobSource, away))
        yield* enqueue()
        yield* TestClock.adjust("20 seconds")
        assert.strictEqual(refusals, 4)
        yield* TestClock.adjust("90 seconds")
        assert.isTrue(yield* isDone)
      })
    )
  )

  test(
    "hands a job back at once when it is told to stop",
    Effect.gen(function* () {
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* scheduling(Effect.never)
          yield* enqueue()
          yield* TestClock.adjust("20 seconds")
          assert.strictEqual((yield* history)[0]?.status, "running")
        })
      )
      assert.strictEqual((yield* history)[0]?.status, "stopped")
      const source = yield* JobSource
      assert.strictEqual((yield* source.take(kind, 1)).length, 1)
    })
  )
})
