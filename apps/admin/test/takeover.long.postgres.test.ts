/** Schedulers that are stopped or killed in the middle of a job, as real processes. */
import { JobHistory, JobQueue, UnitOfWork } from "@agent-platform/kernel"
import { Boss, PgBossJobQueue } from "@agent-platform/pg-boss"
import { scheduledKind } from "@agent-platform/platform"
import { assert, layer as suite } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { ownerOf } from "../../../packages/postgres/test/support/database.ts"
import { migrateDatabase } from "../src/migrateDatabase.ts"
import { Database, layer as operating } from "./operating.ts"
import { startAdmin } from "./program.ts"

const layer = Layer.provideMerge(
  Layer.effectDiscard(Effect.flatMap(Database, ({ url }) => Effect.orDie(migrateDatabase(url, ownerOf(url))))),
  operating
)

/** The real scheduler, in a process of its own that is killed with the scope if not before. */
const aScheduler = Effect.gen(function* () {
  const { url } = yield* Database
  return yield* Effect.acquireRelease(
    Effect.tap(startAdmin(["scheduler"], { DATABASE_URL: Redacted.value(url) }), (child) =>
      Effect.sync(() => {
        child.stdout.resume()
        child.stderr.resume()
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
})

const until = <R>(holds: Effect.Effect<boolean, never, R>) =>
  Effect.gen(function* () {
    for (let looks = 0; looks < 2_000; looks++) {
      if (yield* holds) return
      yield* Effect.sleep("100 millis")
    }
    assert.fail("It did not come to that")
  })

/** The job waits ten seconds before it does anything, which is when its process is stopped or killed. */
const kind = scheduledKind("runs.recover")

const runs = JobHistory.use((history) =>
  Effect.map(history.list(kind.name, { limit: 50, before: undefined }), ({ items }) => items)
)

const enqueued = Effect.gen(function* () {
  const { url } = yield* Database
  const unit = yield* UnitOfWork
  yield* Effect.gen(function* () {
    const queue = yield* JobQueue
    yield* unit.atomic(queue.enqueue(kind, {}))
  }).pipe(Effect.provide(Layer.provide(PgBossJobQueue.layer, Boss.layer({ url }))))
})

suite(layer, { excludeTestServices: true })("a scheduler", (it) => {
  it.effect(
    "that is asked to stop says so in the history, and that is killed has its job taken over",
    () =>
      Effect.gen(function* () {
        const latest = Effect.map(runs, ([run]) => run?.status)
        yield* enqueued
        const first = yield* aScheduler
        yield* until(Effect.map(latest, (status) => status === "running"))
        first.kill("SIGTERM")
        yield* until(Effect.map(latest, (status) => status === "stopped"))

        const second = yield* aScheduler
        yield* until(Effect.map(latest, (status) => status === "running"))
        second.kill("SIGKILL")
        yield* aScheduler
        yield* until(Effect.map(latest, (status) => status === "succeeded"))
        const [third, lost, stopped] = yield* runs
        assert.deepStrictEqual([lost?.status, stopped?.status], ["lost", "stopped"])
        assert.isNotNull(lost?.finishedAt)
        assert.strictEqual(new Set([third?.holder, lost?.holder, stopped?.holder]).size, 3)
        assert.include(third?.summary, "runs that no worker looked after")
      }).pipe(Effect.scoped),
    240_000
  )
})
