/** How a job is done: remembered, and from where it was broken off. */
import { JobHistory, UnitOfWork } from "@agent-platform/kernel"
import { layer, MemoryDatabase } from "@agent-platform/kernel/memory"
import {
  JobUnderWay,
  rehearseJob,
  reportProgress,
  runJob,
  SCHEDULED_JOBS,
  type ScheduledJob,
  scheduledKind
} from "@agent-platform/platform"
import type { recoverRuns } from "@agent-platform/runs"
import { layer as runsMemory } from "@agent-platform/runs/memory"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"

const BY_CLOCK = { trigger: "schedule", holder: "scheduler 1" } as const

const aJob = <R>(run: ScheduledJob<R>["run"]): ScheduledJob<R> => ({
  kind: scheduledKind("things.prune"),
  cron: "0 * * * *",
  does: "Forgets things",
  run
})

const latest = Effect.map(
  JobHistory.use((history) => history.latest),
  (found) => found.get("things.prune")
)

const test = (title: string, effect: Effect.Effect<void, unknown, Layer.Success<typeof layer>>) =>
  it.effect(title, () => Effect.provide(effect, Layer.fresh(layer)))

describe("doing a job", () => {
  test(
    "remembers who did it, how much, and what it came to",
    Effect.gen(function* () {
      const job = aJob(Effect.as(reportProgress({ itemsDone: 3, itemsTotal: 90, cursor: "c" }), "Forgot 3 things"))
      assert.strictEqual(yield* runJob(job, { trigger: "operator", holder: "admin 7" }), "Forgot 3 things")
      assert.deepInclude(yield* latest, {
        trigger: "operator",
        holder: "admin 7",
        status: "succeeded",
        itemsDone: 3,
        itemsTotal: 90,
        cursor: null,
        summary: "Forgot 3 things"
      })
    })
  )

  test(
    "shows meanwhile how far it has come",
    Effect.gen(function* () {
      const go = yield* Deferred.make<string>()
      const run = Effect.andThen(reportProgress({ itemsDone: 40, itemsTotal: 90, cursor: "m" }), Deferred.await(go))
      const first = yield* Effect.forkChild(runJob(aJob(run), BY_CLOCK))
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* latest, { status: "running", itemsDone: 40, itemsTotal: 90, cursor: "m" })
      yield* Deferred.succeed(go, "done")
      yield* Fiber.join(first)
    })
  )

  test(
    "goes on where it failed, and says what it failed for",
    Effect.gen(function* () {
      const broken = aJob(
        Effect.andThen(
          reportProgress({ itemsDone: 5, itemsTotal: 90, cursor: "e" }),
          Effect.die(new Error("The disk is full"))
        )
      )
      assert.strictEqual((yield* Effect.exit(runJob(broken, BY_CLOCK)))._tag, "Failure")
      assert.deepInclude(yield* latest, {
        status: "failed",
        itemsDone: 5,
        itemsTotal: 90,
        cursor: "e",
        error: "The disk is full",
        summary: null
      })
      const whole = aJob(Effect.map(JobUnderWay, ({ cursor }) => `Went on behind ${cursor}`))
      assert.strictEqual(yield* runJob(whole, BY_CLOCK), "Went on behind e")
      assert.strictEqual(yield* runJob(whole, BY_CLOCK), "Went on behind null")
    })
  )

  test(
    "writes that it was stopped when its process is asked to stop",
    Effect.gen(function* () {
      const run = Effect.andThen(reportProgress({ itemsDone: 2, itemsTotal: 90, cursor: "b" }), Effect.never)
      const fiber = yield* Effect.forkChild(runJob(aJob(run), BY_CLOCK))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      assert.deepInclude(yield* latest, { status: "stopped", itemsDone: 2, itemsTotal: 90, cursor: "b" })
    })
  )

  test(
    "may be done by two at once, and remembers the one that began first as lost",
    Effect.gen(function* () {
      const go = yield* Deferred.make<string>()
      const first = yield* Effect.forkChild(runJob(aJob(Deferred.await(go)), BY_CLOCK))
      yield* Effect.yieldNow
      const { id } = (yield* latest)!
      assert.strictEqual(yield* runJob(aJob(Effect.succeed("second")), BY_CLOCK), "second")
      yield* Deferred.succeed(go, "first")
      assert.strictEqual(yield* Fiber.join(first), "first")
      const history = yield* JobHistory
      assert.deepInclude(yield* history.find(id), { status: "lost", summary: null })
    })
  )

  test(
    "goes on although how far it has come cannot be noted",
    Effect.gen(function* () {
      const history = yield* JobHistory
      const away = JobHistory.of({ ...history, note: () => Effect.die(new Error("Away")) })
      const job = aJob(Effect.as(reportProgress({ itemsDone: 3, itemsTotal: 90, cursor: "c" }), "done"))
      assert.strictEqual(yield* Effect.provideService(runJob(job, BY_CLOCK), JobHistory, away), "done")
      assert.deepInclude(yield* latest, { status: "succeeded", itemsDone: 3 })
    })
  )
})

describe("rehearsing a job", () => {
  test(
    "says what it would come to and changes nothing, its history included",
    Effect.gen(function* () {
      const database = yield* MemoryDatabase
      const unit = yield* UnitOfWork
      const things = database.table<string>("thing")
      yield* unit.atomic(things.put("one", "one"))
      const job = aJob(
        Effect.gen(function* () {
          yield* unit.atomic(things.remove("one"))
          return `${(yield* things.all).length} things are left`
        })
      )
      assert.strictEqual(yield* rehearseJob(job), "0 things are left")
      assert.deepStrictEqual(yield* things.all, ["one"])
      assert.isUndefined(yield* latest)
    })
  )

  test(
    "is over, with a warning, where its end cannot be written in time",
    Effect.gen(function* () {
      const history = yield* JobHistory
      const logged: Array<unknown> = []
      const stuck = Effect.provideService(runJob(aJob(Effect.succeed("Done")), BY_CLOCK), JobHistory, {
        ...history,
        end: () => Effect.never
      })
      const logger = Logger.layer([Logger.make(({ message }) => logged.push(message))])
      const fiber = yield* Effect.forkChild(Effect.provide(stuck, logger))
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "Done")
      assert.match(JSON.stringify(logged), /The end of things.prune could not be written/)
    })
  )

  it.effect("has no transaction open while the job waits for something", () =>
    Effect.gen(function* () {
      const unit = yield* UnitOfWork
      const recovering = SCHEDULED_JOBS.find(({ kind }) => kind.name === "runs.recover") as ScheduledJob<
        Effect.Services<ReturnType<typeof recoverRuns>>
      >
      let open = 0
      const counted = UnitOfWork.of({
        atomic: (effect) =>
          Effect.suspend(() => {
            open++
            return Effect.ensuring(
              unit.atomic(effect),
              Effect.sync(() => open--)
            )
          })
      })
      const fiber = yield* Effect.forkChild(Effect.provideService(rehearseJob(recovering), UnitOfWork, counted))
      for (let second = 0; second < 10; second++) {
        assert.strictEqual(open, 0)
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust("1 second")
      }
      assert.strictEqual(yield* Fiber.join(fiber), "Ended or queued again 0 runs that no worker looked after")
    }).pipe(Effect.provide(Layer.fresh(Layer.provideMerge(runsMemory, layer))))
  )
})
