import { FeedLog, NotificationId } from "@agent-platform/kernel"
import { aNotification, anId, aTenant, overtaking, TransactionsOverlap } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { NOTIFICATIONS_SHOWN_MAX } from "../Notification.ts"
import { NotificationFeed } from "../ports/NotificationFeed.ts"
import {
  atomic,
  type Cases,
  filed,
  idsOf,
  markAllRead,
  markRead,
  type NotificationFeedContractPorts,
  posted,
  postedToAll,
  read,
  unreadOf,
  workspaces
} from "./givenNotices.ts"

const AT = DateTime.makeUnsafe("2026-11-21T05:15:00.123Z")

/** Reading notices, and marking them as read. */
export const readingCases: Cases = (it) => {
  it.effect("shows a workspace its notices and its organization's, newest first, and nobody else's", () =>
    Effect.gen(function* () {
      const { foreign, one, two } = yield* workspaces
      const first = yield* posted(one, { createdAt: AT, payload: { run_id: "é 💡", list: [null, 1] } })
      const second = yield* postedToAll(one, { createdAt: DateTime.add(AT, { seconds: 1 }) })
      yield* posted(two)
      yield* posted(foreign)
      yield* postedToAll(foreign)
      const unread = [
        { ...second, read: false },
        { ...first, read: false }
      ]
      assert.deepStrictEqual((yield* read(one)).items, unread)
      yield* filed(one)
      assert.deepStrictEqual((yield* read(one)).items, unread)
      assert.strictEqual(yield* unreadOf(one), 2)
    })
  )

  it.effect("is empty where nothing was posted", () =>
    Effect.gen(function* () {
      const { one } = yield* workspaces
      assert.deepStrictEqual(yield* read(one), { items: [], unreadCount: 0, unfiled: 0 })
    })
  )

  it.effect("shows the notices that arrived last, and counts all", () =>
    Effect.gen(function* () {
      const { one } = yield* workspaces
      const notices = Array.from({ length: NOTIFICATIONS_SHOWN_MAX + 7 }, (_, seconds) =>
        aNotification({ ...one, createdAt: DateTime.add(AT, { seconds }) })
      )
      yield* FeedLog.use((log) => atomic(log.notify(...notices.slice(0, 30))))
      yield* filed(one)
      yield* FeedLog.use((log) => atomic(log.notify(...notices.slice(30))))
      const { items, unfiled, unreadCount } = yield* read(one)
      assert.deepStrictEqual(idsOf(items), idsOf(notices.toReversed().slice(0, NOTIFICATIONS_SHOWN_MAX)))
      assert.deepStrictEqual({ unfiled, unreadCount }, { unfiled: notices.length - 30, unreadCount: notices.length })
    })
  )

  it.effect("marks the given notices for one workspace alone, filed or not, and once", () =>
    Effect.gen(function* () {
      const { foreign, one, two } = yield* workspaces
      const [mine, shared] = [yield* posted(one), yield* postedToAll(one)]
      yield* filed(one)
      const [later, sharedLater] = [yield* posted(one), yield* postedToAll(one)]
      const rest = yield* posted(one)
      for (let time = 0; time < 2; time++) {
        yield* markRead(one, mine, shared, later, sharedLater)
        assert.strictEqual(yield* unreadOf(one), 1)
        yield* filed(one)
      }
      const { items } = yield* read(one)
      assert.deepStrictEqual(idsOf(items.filter((item) => !item.read)), [rest.id])
      assert.strictEqual(yield* unreadOf(two), 2)
      assert.strictEqual(yield* unreadOf(foreign), 0)
    })
  )

  it.effect("marks nothing that the workspace does not see", () =>
    Effect.gen(function* () {
      const { foreign, one, two } = yield* workspaces
      yield* posted(one)
      const others = [yield* posted(two), yield* posted(foreign), yield* postedToAll(foreign)]
      yield* markRead(one, ...others, { id: anId(NotificationId) })
      assert.strictEqual(yield* unreadOf(one), 1)
      assert.strictEqual(yield* unreadOf(two), 1)
      assert.strictEqual(yield* unreadOf(foreign), 2)
    })
  )

  it.effect("marks all that there is for one workspace, and nothing that comes later", () =>
    Effect.gen(function* () {
      const { one, two } = yield* workspaces
      yield* posted(one)
      yield* postedToAll(one)
      yield* filed(one)
      const [mine] = [yield* posted(one), yield* postedToAll(one)]
      yield* markRead(one, mine)
      yield* markAllRead(one)
      assert.strictEqual(yield* unreadOf(one), 0)
      assert.isTrue((yield* read(one)).items.every((item) => item.read))
      assert.strictEqual(yield* unreadOf(two), 2)
      const [next, sharedNext] = [yield* posted(one), yield* postedToAll(one)]
      yield* markRead(one, mine)
      assert.strictEqual(yield* unreadOf(one), 2)
      yield* markRead(one, next, mine)
      const { items, unreadCount } = yield* read(one)
      assert.strictEqual(unreadCount, 1)
      assert.deepStrictEqual(idsOf(items.filter((item) => !item.read)), [sharedNext.id])
      yield* markAllRead(one)
      assert.strictEqual(yield* unreadOf(one), 0)
    })
  )

  it.effect("has other marks wherever something has become read, and the same ones where nothing has", () =>
    Effect.gen(function* () {
      const feed = yield* NotificationFeed
      const { foreign, one, two } = yield* workspaces
      const all = [one, two, foreign]
      const mine = yield* posted(one)
      const shared = yield* postedToAll(one)
      for (const workspace of all) yield* filed(workspace)
      const seen = [yield* feed.marks(all)]
      yield* posted(one)
      yield* filed(one)
      assert.deepStrictEqual(yield* feed.marks(all), seen[0])
      for (const act of [markRead(one, mine), markRead(one, shared), markAllRead(one)]) {
        yield* act
        seen.push(yield* feed.marks(all))
      }
      assert.strictEqual(new Set(seen.map(([marks]) => marks)).size, 4)
      assert.strictEqual(new Set(seen.map(([, ...others]) => others.join())).size, 1)
      assert.deepStrictEqual(yield* feed.marks([]), [])
    })
  )

  it.effect("counts an organization's earlier notices in a workspace that was made after them", () =>
    Effect.gen(function* () {
      const { one } = yield* workspaces
      yield* postedToAll(one)
      const younger = yield* aTenant({ organizationId: one.organizationId })
      assert.strictEqual(yield* unreadOf(younger), 1)
    })
  )

  it.effect("keeps nothing of a transaction that fails", () =>
    Effect.gen(function* () {
      const { one } = yield* workspaces
      const notice = yield* posted(one)
      const doings: ReadonlyArray<Effect.Effect<unknown, never, NotificationFeedContractPorts>> = [
        markRead(one, notice),
        markAllRead(one),
        posted(one)
      ]
      for (const doing of doings) {
        yield* Effect.exit(atomic(Effect.andThen(doing, Effect.fail("refused"))))
        assert.strictEqual(yield* unreadOf(one), 1)
      }
    })
  )

  // A notice has its time and its id before its transaction commits: marking by them would take it for read with the others.
  it.effect("leaves a notice unread that is committed after all were marked, however early it was made", () =>
    Effect.gen(function* () {
      const { one } = yield* workspaces
      const late = aNotification({ ...one, createdAt: AT })
      yield* overtaking(
        FeedLog.use((log) => log.notify(late)),
        Effect.andThen(posted(one, { createdAt: DateTime.add(AT, { seconds: 1 }) }), markAllRead(one)),
        Effect.void
      )
      const unread = (yield* TransactionsOverlap) ? [late.id] : []
      const { items, unreadCount } = yield* read(one)
      assert.deepStrictEqual(idsOf(items.filter((item) => !item.read)), unread)
      assert.strictEqual(unreadCount, unread.length)
    })
  )
}
