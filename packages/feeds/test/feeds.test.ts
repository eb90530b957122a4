/** The use cases beyond the contracts of the ports. */
import {
  ACTIVITY_DAYS,
  Feeds,
  fileNotices,
  forgetOld,
  NOTIFICATION_DAYS,
  NotificationFeed,
  ownersOf
} from "@agent-platform/feeds"
import {
  ActivityId,
  closeNotices,
  DEFAULT_QUOTAS,
  FeedLog,
  firstIdAt,
  NotificationId,
  Quotas,
  Uuid
} from "@agent-platform/kernel"
import { feedTables, MemoryDatabase } from "@agent-platform/kernel/memory"
import { aCaller, anActivity, anId } from "@agent-platform/kernel/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { atomic, memory, post } from "./support.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")

const idAt = (at: DateTime.Utc) => `${firstIdAt(at).slice(0, 24)}${anId(NotificationId).slice(24)}`

describe("reading notifications", () => {
  it.effect("files what was posted and closed before, so that all of it is counted as it is to be", () =>
    Effect.gen(function* () {
      const feeds = yield* Feeds
      const feed = yield* NotificationFeed
      const caller = aCaller()
      const [about, question] = [anId(Uuid), anId(Uuid)]
      yield* post(caller, [
        ...Array.from({ length: 30 }, () => ({ about })),
        { about: question, type: "run.paused" as const },
        { workspaceId: null }
      ])
      assert.strictEqual((yield* feeds.readNotifications({ caller })).unreadCount, 13)
      assert.deepStrictEqual(yield* feed.end(caller), { own: 12, shared: 1 })
      yield* atomic(closeNotices({ ...caller, about: question, title: "It was answered" }))
      const { items, unreadCount } = yield* feeds.readNotifications({ caller, filter: { read: true } })
      assert.deepStrictEqual([items.map(({ type }) => type), unreadCount], [["run.paused"], 12])
    }).pipe(Effect.provide(memory))
  )
})

describe("marking as read", () => {
  it.effect("answers what is unread then, by ids and by all", () =>
    Effect.gen(function* () {
      const feeds = yield* Feeds
      const caller = aCaller()
      const [first] = yield* post(caller, [{}, {}, { workspaceId: null }])
      const mark = (which: Parameters<typeof feeds.markRead>[0]["which"]) =>
        Effect.map(feeds.markRead({ caller, which }), ({ unreadCount }) => unreadCount)
      assert.strictEqual(yield* mark([first!.id, first!.id]), 2)
      assert.strictEqual(yield* mark([]), 2)
      assert.strictEqual(yield* mark("all"), 0)
    }).pipe(Effect.provide(memory))
  )
})

describe("filing", () => {
  it.effect("goes on until nothing is left, for everybody or for those who are meant", () =>
    Effect.gen(function* () {
      const [one, two] = [aCaller(), aCaller()]
      yield* post(
        one,
        Array.from({ length: 7 }, () => ({}))
      )
      yield* post(two, [{}, { workspaceId: null }])
      assert.strictEqual(yield* fileNotices(ownersOf(two)), 2)
      assert.strictEqual(yield* fileNotices(), 7)
      assert.strictEqual(yield* fileNotices(), 0)
    }).pipe(Effect.provide(memory))
  )
})

describe("a feed at its quota", () => {
  it.effect("keeps the newest notices of each owner, and goes on as new ones come", () =>
    Effect.gen(function* () {
      const feed = yield* NotificationFeed
      const caller = aCaller()
      const [shared, own] = ownersOf(caller)
      yield* post(caller, [{ workspaceId: null }, ...Array.from({ length: 7 }, () => ({}))])
      assert.strictEqual(yield* fileNotices(), 8)
      assert.deepStrictEqual([yield* feed.countFiled(own), yield* feed.countFiled(shared)], [3, 1])
      const [newest] = yield* post(caller, [{}])
      yield* fileNotices()
      assert.strictEqual(yield* feed.countFiled(own), 3)
      const { items, unreadCount } = yield* feed.read(caller)
      assert.strictEqual(unreadCount, 4)
      assert.include(
        items.map(({ id }) => id),
        newest?.id
      )
    }).pipe(Effect.provideService(Quotas, { ...DEFAULT_QUOTAS, notices: 3 }), Effect.provide(memory))
  )
})

describe("forgetting", () => {
  it.effect("keeps notices for 90 days and activity for 400 by default, and nothing older", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const tables = feedTables(yield* MemoryDatabase)
      const caller = aCaller()
      const ago = (days: number) => DateTime.subtract(NOW, { days })
      const day = (days: number) => ({ id: NotificationId.make(idAt(ago(days))), createdAt: ago(days) })
      yield* post(caller, [day(NOTIFICATION_DAYS + 1), day(NOTIFICATION_DAYS - 1)])
      yield* post(caller, [{ ...day(NOTIFICATION_DAYS + 2), workspaceId: null }])
      const entries = [ACTIVITY_DAYS + 1, ACTIVITY_DAYS - 1].map((days) =>
        anActivity({ ...caller, id: ActivityId.make(idAt(ago(days))), createdAt: ago(days) })
      )
      yield* atomic(FeedLog.use((log) => log.record(...entries)))
      assert.deepStrictEqual(yield* forgetOld(), { notifications: 2, activity: 1 })
      assert.deepStrictEqual(yield* forgetOld(), { notifications: 0, activity: 0 })
      assert.strictEqual((yield* tables.notification.all).length, 1)
      assert.strictEqual((yield* tables.activity.all).length, 1)
      assert.deepStrictEqual(yield* forgetOld({ notificationDays: 30, activityDays: 30 }), {
        notifications: 1,
        activity: 1
      })
    }).pipe(Effect.provide(memory))
  )
})
