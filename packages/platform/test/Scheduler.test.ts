/** How jobs that are due by the clock are done, joined and tried again. */
import { JobHistory, JobQueue, JobSource, ProcessName, UnitOfWork } from "@agent-platform/kernel"
import { layer, MemoryDatabase } from "@agent-platform/kernel/memory"
import { reportProgress, type ScheduledJob, Scheduler, scheduledKind } from "@agent-platform/platform"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Layer, Logger, References } from "effect"
import { TestClock } from "effect/testing"

const kind = scheduledKind("things.prune")
const aJob = (run: Effect.Effect<string>): ScheduledJob<never> => ({ kind, cron: "0 * * * *", does: "Forgets", run })

const test = (title: string, effect: Effect.Effect<void, unknown, Layer.Success<typeof layer>>) =>
  it.effect(title, () => Effect.provide(effect, Layer.fresh(layer)))

const enqueue = (trigger?: "operator") =>
  Effect.gen(function* () {
    const [unit, queue] = [yield* UnitOfWork, yield* JobQueue]
    return yield* unit.atomic(queue.enqueue(kind, trigger === undefined ? {} : { trigger }))
  })

const scheduling = (run: Effect.Effect<string>) =>
  Layer.build(Layer.provide(Scheduler.layerOf([aJob(run)]), Layer.succeed(ProcessName, "scheduler 1")))

const history = Effect.map(
  JobHistory.use((store) => store.list("things.prune", { limit: 50, before: undefined })),
  ({ items }) => items
)

/** Whether nothing is left to do, for any holder. */
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
        Effect.as(reportProgress({ itemsDone: found, itemsTotal: null, cursor: null }), `Forgot ${found++} things`)
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
        const tries: Array<number> = []
        yield* scheduling(
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            tries.push(now / 1_000) < 6 ? Effect.die(new Error("Away")) : Effect.succeed("Done at last")
          )
        )
        yield* enqueue()
        yield* TestClock.adjust("5 minutes")
        const pauses = tries.slice(1).map((at, index) => at - (tries[index] ?? 0))
        assert.strictEqual(pauses.length, 5)
        pauses.forEach((pause, index) => {
          const delay = 2 ** (index + 1)
          assert.isAtLeast(pause, delay)
          // The queue is looked at every 15 seconds.
          assert.isAtMost(pause, delay + 16)
        })
        assert.deepStrictEqual(
          (yield* history).map(({ status }) => status),
          ["succeeded", "failed", "failed", "failed", "failed", "failed"]
        )
        assert.isTrue(yield* isDone)
      })
    )
  )

  test(
    "has the clock and an operator join the job that waits or is under way",
    Effect.scoped(
      Effect.gen(function* () {
        const go = yield* Deferred.make<string>()
        yield* scheduling(Deferred.await(go))
        yield* enqueue()
        yield* TestClock.adjust("20 seconds")
        assert.isFalse(yield* enqueue())
        const source = yield* JobSource
        const byHand = yield* Effect.flip(source.doNow(kind, { trigger: "operator" }, () => Effect.void))
        assert.strictEqual(byHand._tag, "JobAlreadyRunning")
        yield* Deferred.succeed(go, "once")
        yield* TestClock.adjust("20 seconds")
        assert.isTrue(yield* isDone)
        assert.strictEqual((yield* history).length, 1)
      })
    )
  )

  test(
    "leaves a job to another when it is asked to stop",
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
      yield* Effect.scoped(Effect.andThen(scheduling(Effect.succeed("gone on")), TestClock.adjust("1 minute")))
      assert.strictEqual((yield* history)[0]?.summary, "gone on")
    })
  )
})
