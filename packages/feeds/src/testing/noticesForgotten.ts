import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { ownersOf } from "../Notification.ts"
import { NotificationFeed } from "../ports/NotificationFeed.ts"
import {
  aNoticeIdAt,
  atomic,
  type Cases,
  filed,
  idsOf,
  markAllRead,
  markRead,
  posted,
  postedToAll,
  read,
  unreadOf,
  walked,
  workspaces
} from "./givenNotices.ts"

const OLD = DateTime.makeUnsafe("2020-01-01T00:00:00.000Z")
const BOUND = DateTime.makeUnsafe("2021-01-01T00:00:00.000Z")

const old = () => ({ id: aNoticeIdAt(OLD), createdAt: OLD })

/** Notices that are kept no longer. */
export const forgettingCases: Cases = (it) => {
  const forget = (owner: ReturnType<typeof ownersOf>[number], max = 100) =>
    NotificationFeed.use((feed) => atomic(feed.forget(owner, { before: BOUND }, max)))

  it.effect("names the owners of what is old, and forgets it alone", () =>
    Effect.gen(function* () {
      const feed = yield* NotificationFeed
      const { one, two } = yield* workspaces
      const [shared, own] = ownersOf(one)
      yield* posted(one, old())
      yield* postedToAll(one, old())
      const kept = [yield* posted(one), yield* postedToAll(one), yield* posted(two)]
      const outdated = yield* feed.outdated(BOUND, 100_000)
      assert.includeDeepMembers([...outdated], [shared, own])
      assert.notDeepInclude([...outdated], ownersOf(two)[1])
      assert.strictEqual(yield* forget(own), 1)
      assert.strictEqual(yield* forget(shared), 1)
      assert.strictEqual(yield* forget(own), 0)
      assert.sameMembers(idsOf((yield* read(one)).items), idsOf(kept.slice(0, 2)))
      assert.strictEqual(yield* unreadOf(one), 2)
      assert.strictEqual(yield* unreadOf(two), 2)
      assert.notDeepInclude([...(yield* feed.outdated(BOUND, 100_000))], own)
    })
  )

  it.effect("counts right what remains, whatever was read of what is forgotten", () =>
    Effect.gen(function* () {
      const { one, two } = yield* workspaces
      const [shared, own] = ownersOf(one)
      const mine = [yield* posted(one, old()), yield* posted(one, old()), yield* posted(one)]
      const ours = [yield* postedToAll(one, old()), yield* postedToAll(one, old()), yield* postedToAll(one)]
      yield* markRead(one, mine[0]!, mine[2]!, ours[1]!)
      yield* markRead(two, ours[0]!, ours[2]!)
      yield* forget(own)
      yield* forget(shared)
      assert.strictEqual(yield* unreadOf(one), 1)
      assert.strictEqual(yield* unreadOf(two), 0)
      assert.deepStrictEqual(idsOf((yield* read(one)).items.filter((item) => !item.read)), [ours[2]!.id])
      const next = yield* posted(one)
      assert.strictEqual(yield* unreadOf(one), 2)
      yield* markRead(one, next, ...mine)
      assert.strictEqual(yield* unreadOf(one), 1)
    })
  )

  it.effect("counts right what remains where all was marked before, and marks on", () =>
    Effect.gen(function* () {
      const { one, two } = yield* workspaces
      const [shared, own] = ownersOf(one)
      yield* posted(one, old())
      yield* postedToAll(one, old())
      yield* markAllRead(one)
      const [later] = [yield* posted(one, old()), yield* postedToAll(one)]
      yield* forget(own)
      yield* forget(shared)
      assert.strictEqual(yield* unreadOf(one), 1)
      assert.strictEqual(yield* unreadOf(two), 1)
      yield* markRead(one, later)
      assert.strictEqual(yield* unreadOf(one), 1)
      yield* markAllRead(one)
      assert.strictEqual(yield* unreadOf(one), 0)
    })
  )

  it.effect("forgets as many as it is asked to, and none from behind one that is kept", () =>
    Effect.gen(function* () {
      const { one } = yield* workspaces
      const [, own] = ownersOf(one)
      for (let index = 0; index < 5; index++) yield* posted(one, old())
      yield* filed(one)
      const kept = yield* posted(one)
      yield* filed(one)
      const behind = yield* posted(one, old())
      assert.strictEqual(yield* forget(own, 2), 2)
      assert.strictEqual(yield* forget(own, 2), 2)
      assert.strictEqual(yield* forget(own, 9), 1)
      assert.strictEqual(yield* forget(own, 9), 0)
      const { arrivals, end } = yield* walked(one)
      assert.deepStrictEqual(idsOf(arrivals.map(({ notification }) => notification)), idsOf([kept, behind]))
      assert.strictEqual(end.own, 7)
      assert.strictEqual(yield* unreadOf(one), 2)
    })
  )

  it.effect("forgets the oldest beyond as many as are to be kept, however young they are", () =>
    Effect.gen(function* () {
      const feed = yield* NotificationFeed
      const { one, two } = yield* workspaces
      const [, own] = ownersOf(one)
      for (let index = 0; index < 3; index++) yield* posted(one)
      const kept = [yield* posted(one)]
      yield* filed(one)
      kept.push(yield* posted(one, old()))
      yield* posted(two)
      yield* filed(one)
      assert.strictEqual(yield* feed.countFiled(own), 5)
      assert.strictEqual(yield* atomic(feed.forget(own, { keep: 2 }, 2)), 2)
      assert.strictEqual(yield* atomic(feed.forget(own, { keep: 2 }, 2)), 1)
      assert.strictEqual(yield* atomic(feed.forget(own, { keep: 2 }, 2)), 0)
      assert.strictEqual(yield* feed.countFiled(own), 2)
      assert.sameMembers(idsOf((yield* read(one)).items), idsOf(kept))
      assert.strictEqual(yield* unreadOf(one), 2)
      assert.strictEqual(yield* unreadOf(two), 1)
    })
  )

  it.effect("keeps everything of a transaction that fails", () =>
    Effect.gen(function* () {
      const { one } = yield* workspaces
      yield* posted(one, old())
      yield* Effect.exit(atomic(Effect.andThen(forget(ownersOf(one)[1]), Effect.fail("refused"))))
      assert.strictEqual(yield* unreadOf(one), 1)
      assert.strictEqual((yield* read(one)).items.length, 1)
    })
  )
}
