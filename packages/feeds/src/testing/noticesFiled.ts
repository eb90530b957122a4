import { FeedLog } from "@agent-platform/kernel"
import { aNotification } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { BEGINNING, ownersOf, writePlace } from "../Notification.ts"
import { NotificationFeed } from "../ports/NotificationFeed.ts"
import { atomic, type Cases, filed, idsOf, markRead, posted, postedToAll, walked, workspaces } from "./givenNotices.ts"

const AT = DateTime.makeUnsafe("2026-11-21T05:15:00.123Z")

/** Notices in the order in which they arrive. */
export const filingCases: Cases = (it) => {
  it.effect("knows whose notices are not filed, and files no more than `max`", () =>
    Effect.gen(function* () {
      const feed = yield* NotificationFeed
      const { foreign, one, two } = yield* workspaces
      const [shared, own] = ownersOf(one)
      const among = [...ownersOf(one), ...ownersOf(two), ...ownersOf(foreign)]
      assert.isEmpty(yield* feed.unfiled(9, among))
      yield* FeedLog.use((log) => atomic(log.notify(...[1, 2, 3].map(() => aNotification(one)))))
      yield* postedToAll(one)
      assert.sameDeepMembers([...(yield* feed.unfiled(9, among))], [shared, own])
      assert.strictEqual((yield* feed.unfiled(1, among)).length, 1)
      assert.includeDeepMembers([...(yield* feed.unfiled(100_000))], [shared, own])
      assert.strictEqual(yield* atomic(feed.file(own, 2)), 2)
      assert.deepStrictEqual(yield* feed.end(one), { own: 2, shared: 0 })
      assert.strictEqual(yield* atomic(feed.file(own, 2)), 1)
      assert.strictEqual(yield* atomic(feed.file(own, 2)), 0)
      assert.deepStrictEqual(yield* feed.unfiled(9, among), [shared])
      assert.isEmpty(yield* feed.unfiled(9, []))
    })
  )

  it.effect("gives every notice one number, however many file at once", () =>
    Effect.gen(function* () {
      const feed = yield* NotificationFeed
      const { one } = yield* workspaces
      const [, own] = ownersOf(one)
      const notices = Array.from({ length: 40 }, () => aNotification(one))
      yield* FeedLog.use((log) => atomic(log.notify(...notices)))
      const counts = yield* Effect.forEach(Array.from({ length: 12 }), () => atomic(feed.file(own, 7)), {
        concurrency: "unbounded"
      })
      assert.strictEqual(
        counts.reduce((sum, count) => sum + count),
        40
      )
      const { arrivals } = yield* walked(one)
      assert.sameMembers(idsOf(arrivals.map(({ notification }) => notification)), idsOf(notices))
      assert.deepStrictEqual(
        arrivals.map(({ place }) => place.own),
        notices.map((_, index) => index + 1)
      )
    })
  )

  it.effect("gives nothing that is not filed, and what is filed with whether it is read", () =>
    Effect.gen(function* () {
      const { one, two } = yield* workspaces
      const [mine, shared] = [yield* posted(one), yield* postedToAll(one)]
      assert.isEmpty((yield* walked(one)).arrivals)
      yield* filed(one)
      yield* markRead(one, shared)
      const seen = ({ arrivals }: { arrivals: ReadonlyArray<{ notification: { id: string; read: boolean } }> }) =>
        arrivals.map(({ notification: { id, read } }) => ({ id, read }))
      assert.sameDeepMembers(seen(yield* walked(one)), [
        { id: mine.id, read: false },
        { id: shared.id, read: true }
      ])
      assert.deepStrictEqual(seen(yield* walked(two)), [{ id: shared.id, read: false }])
    })
  )

  it.effect("goes on behind every place without a loss or a repetition", () =>
    Effect.gen(function* () {
      const { one } = yield* workspaces
      const notices = []
      for (let index = 0; index < 9; index++) {
        const createdAt = DateTime.add(AT, { seconds: index })
        notices.push(yield* index % 3 === 0 ? postedToAll(one, { createdAt }) : posted(one, { createdAt }))
        yield* filed(one)
      }
      const { arrivals, end } = yield* walked(one)
      assert.deepStrictEqual(idsOf(arrivals.map(({ notification }) => notification)), idsOf(notices))
      assert.deepStrictEqual(end, { own: 6, shared: 3 })
      for (const max of [1, 2, 50]) {
        for (const [index, { place }] of [{ place: BEGINNING }, ...arrivals].entries()) {
          const rest = yield* walked(one, place, max)
          assert.deepStrictEqual(
            rest.arrivals.map(({ notification }) => notification.id).sort(),
            idsOf(notices.slice(index)).sort()
          )
          assert.deepStrictEqual(rest.end, end)
        }
      }
    })
  )

  it.effect("gives several workspaces their parts at once, none of them more than `max`", () =>
    Effect.gen(function* () {
      const feed = yield* NotificationFeed
      const { foreign, one, two } = yield* workspaces
      const shared = yield* postedToAll(one, { createdAt: DateTime.subtract(AT, { seconds: 1 }) })
      const mine = [yield* posted(one), yield* posted(one), yield* posted(one)]
      for (const workspace of [one, two, foreign]) yield* filed(workspace)
      const range = (workspace: typeof one) => ({ workspace, after: BEGINNING, upTo: undefined })
      const parts = yield* feed.since([range(two), range(one), range(foreign)], 2)
      assert.deepStrictEqual(
        parts.map(({ arrivals, more, next }) => ({ more, next: writePlace(next), count: arrivals.length })),
        [
          { more: false, next: "0.1", count: 1 },
          { more: true, next: "2.1", count: 3 },
          { more: false, next: "0.0", count: 0 }
        ]
      )
      assert.sameMembers(
        parts[1]?.arrivals.map(({ notification }) => notification.id) ?? [],
        idsOf([shared, ...mine.slice(0, 2)])
      )
      const upTo = { own: 1, shared: 1 }
      const [bounded] = yield* feed.since([{ workspace: one, after: { own: 0, shared: 1 }, upTo }], 2)
      assert.deepStrictEqual(
        bounded?.arrivals.map(({ place }) => writePlace(place)),
        ["1.1"]
      )
      assert.isEmpty(yield* feed.since([], 2))
    })
  )
}
