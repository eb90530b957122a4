/** The scheduler's work by the clock. */
import { layer as billingStores } from "@agent-platform/billing/memory"
import { NotificationFeed } from "@agent-platform/feeds"
import { layer as feedsStores } from "@agent-platform/feeds/memory"
import { NotificationId, notify, UnitOfWork } from "@agent-platform/kernel"
import { feedTables, layer as kernel, MemoryDatabase } from "@agent-platform/kernel/memory"
import { aCaller, aNotification } from "@agent-platform/kernel/testing"
import { ApiKeyStore } from "@agent-platform/keys"
import { layer as keysStores } from "@agent-platform/keys/memory"
import { anApiKey } from "@agent-platform/keys/testing"
import { FeedRetention, JobUnderWay, SCHEDULED_JOBS } from "@agent-platform/platform"
import { layer as runsStores } from "@agent-platform/runs/memory"
import { layer as webhooksStores } from "@agent-platform/webhooks/memory"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

const memory = Layer.mergeAll(billingStores, feedsStores, keysStores, runsStores, webhooksStores).pipe(
  Layer.provideMerge(kernel),
  Layer.fresh
)

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")

const run = (name: string) => {
  const [job] = SCHEDULED_JOBS.filter(({ kind }) => kind.name === name)
  if (job === undefined) throw new Error(`There is no job ${name}`)
  return job.run
}

describe("the jobs of the scheduler", () => {
  it.effect("can be done twice in a row where there is nothing to do", () =>
    Effect.gen(function* () {
      for (const job of [...SCHEDULED_JOBS, ...SCHEDULED_JOBS]) {
        const done = yield* Effect.forkChild(job.run)
        // Some give others time first.
        yield* TestClock.adjust("1 minute")
        assert.isNotEmpty(yield* Fiber.join(done))
      }
    }).pipe(Effect.provide(memory))
  )

  it.effect("say that there was nothing to compress, so that the log does not", () =>
    Effect.gen(function* () {
      const reported: Array<number> = []
      const report = ({ itemsDone }: { readonly itemsDone: number }) => Effect.sync(() => void reported.push(itemsDone))
      yield* Effect.provideService(run("runs.compress_logs"), JobUnderWay, { cursor: null, report })
      assert.deepStrictEqual(reported, [0])
    }).pipe(Effect.provide(memory))
  )

  it.effect("file notices", () =>
    Effect.gen(function* () {
      const [feed, unit] = [yield* NotificationFeed, yield* UnitOfWork]
      const caller = aCaller()
      const { body, payload, title, type } = aNotification()
      const { organizationId, workspaceId } = caller
      yield* unit.atomic(notify({ organizationId, workspaceId, type, title, body, payload }))
      assert.strictEqual(yield* run("notifications.file"), "Filed 1 notices")
      assert.deepStrictEqual(yield* feed.end(caller), { own: 1, shared: 0 })
    }).pipe(Effect.provide(memory))
  )

  it.effect("forget feeds after as many days as they are set to", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const tables = feedTables(yield* MemoryDatabase)
      const unit = yield* UnitOfWork
      const old = aNotification({ id: NotificationId.make("01900000-0000-7000-8000-000000000000") })
      yield* unit.atomic(tables.notification.put(old.id, old))
      const kept = Effect.provideService(run("feeds.forget"), FeedRetention, {
        notificationDays: 3_650,
        activityDays: 1
      })
      assert.strictEqual(yield* kept, "Forgot 0 old notices, and 0 old entries of the activity feed")
      assert.strictEqual(yield* run("feeds.forget"), "Forgot 1 old notices, and 0 old entries of the activity feed")
    }).pipe(Effect.provide(memory))
  )

  it.effect("warn of keys that expire, once", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const [store, unit] = [yield* ApiKeyStore, yield* UnitOfWork]
      const createdAt = DateTime.subtract(NOW, { days: 30 })
      yield* unit.atomic(store.insert(anApiKey({ createdAt, expiresAt: DateTime.add(NOW, { days: 2 }) }), "hash"))
      assert.strictEqual(yield* run("api_keys.warn_of_expiry"), "Warned of 1 API keys that expire soon")
      assert.strictEqual(yield* run("api_keys.warn_of_expiry"), "Warned of 0 API keys that expire soon")
    }).pipe(Effect.provide(memory))
  )
})
