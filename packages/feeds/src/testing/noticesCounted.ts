import { FeedLog, NotificationId, type NotificationRecord, UnitOfWork, Uuid } from "@agent-platform/kernel"
import { aNotification, anId } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import type { FeedWorkspace } from "../Notification.ts"
import { ownersOf } from "../Notification.ts"
import { NotificationFeed } from "../ports/NotificationFeed.ts"
import { atomic, type Cases, filed, markRead, posted, read, unreadOf, walked, workspaces } from "./givenNotices.ts"

const AT = DateTime.makeUnsafe("2026-11-21T05:15:00.000Z")

const after = (minutes: number) => DateTime.add(AT, { minutes })

/** A failure of an agent, so many minutes after the first. */
const failed = (workspace: FeedWorkspace, about: string, minutes = 0): NotificationRecord =>
  aNotification({ ...workspace, about, createdAt: after(minutes), payload: { agent_id: about, at: minutes } })

const post = (...notices: ReadonlyArray<NotificationRecord>) => FeedLog.use((log) => atomic(log.notify(...notices)))

/** How many failures each of the notices counts, oldest first; null for the notice of a single failure. */
const countsIn = (workspace: FeedWorkspace) =>
  Effect.map(read(workspace), ({ items }) => items.map(({ payload }) => payload["count"] ?? null).reverse())

/** The counts of ten failures with a notice each. */
const TEN_SINGLE = Array.from({ length: 10 }, () => null)

const CLOSED = "It was answered"

const close = ({ organizationId, workspaceId }: FeedWorkspace, about: string) =>
  FeedLog.use((log) =>
    atomic(log.close({ id: anId(NotificationId), organizationId, workspaceId, about, title: CLOSED }))
  )

/** Failures that are counted, and notices that are closed. */
export const countingCases: Cases = (it) => {
  it.effect("counts the failures of an agent from the eleventh within ten minutes on in one notice", () =>
    Effect.gen(function* () {
      const { one, two } = yield* workspaces
      const [agent, other] = [anId(Uuid), anId(Uuid)]
      const failures = Array.from({ length: 25 }, (_, index) => failed(one, agent, index / 10))
      yield* post(...failures.slice(0, 9))
      yield* filed(one)
      yield* post(...failures.slice(9, 12), ...Array.from({ length: 10 }, () => failed(one, other)), failed(two, agent))
      yield* filed(one)
      yield* post(...failures.slice(12))
      yield* filed(one)
      const { items, unreadCount } = yield* read(one)
      assert.strictEqual(unreadCount, 21)
      const [counting] = items.filter(({ payload }) => payload["count"] !== undefined)
      assert.deepInclude(counting, {
        id: failures[10]!.id,
        createdAt: failures[10]!.createdAt,
        about: agent,
        read: false
      })
      const last = DateTime.formatIso(failures[24]!.createdAt)
      assert.deepStrictEqual(counting?.payload, { agent_id: agent, at: 2.4, count: 15, last_failed_at: last })
      assert.deepStrictEqual(yield* countsIn(two), [null])
      const { arrivals } = yield* walked(one)
      assert.strictEqual(arrivals.length, 21)
    })
  )

  it.effect("counts no notice without a resource, and none of another kind", () =>
    Effect.gen(function* () {
      const { one } = yield* workspaces
      const about = anId(Uuid)
      yield* post(
        ...Array.from({ length: 12 }, () => aNotification(one)),
        ...Array.from({ length: 12 }, () => aNotification({ ...one, about, type: "run.paused" }))
      )
      yield* filed(one)
      assert.strictEqual(yield* unreadOf(one), 24)
    })
  )

  it.effect("counts in another notice once ten minutes are over, and tells them one by one again after a lull", () =>
    Effect.gen(function* () {
      const { one } = yield* workspaces
      const agent = anId(Uuid)
      const failures = (from: number, count: number) =>
        Array.from({ length: count }, (_, index) => failed(one, agent, from + index / 1_000))
      yield* post(...failures(0, 20))
      yield* filed(one)
      yield* post(...failures(9, 5))
      yield* filed(one)
      assert.deepStrictEqual(yield* countsIn(one), [...TEN_SINGLE, 15])
      yield* post(...failures(11, 3), ...failures(20, 2))
      yield* filed(one)
      assert.deepStrictEqual(yield* countsIn(one), [...TEN_SINGLE, 15, 5])
      yield* post(...failures(31, 12))
      yield* filed(one)
      assert.deepStrictEqual(yield* countsIn(one), [...TEN_SINGLE, 15, 5, ...TEN_SINGLE, 2])
    })
  )

  it.effect("leaves a counting notice read that was read, and tells what was read one by one", () =>
    Effect.gen(function* () {
      const { one } = yield* workspaces
      const agent = anId(Uuid)
      const failures = Array.from({ length: 13 }, (_, index) => failed(one, agent, index / 10))
      yield* post(...failures.slice(0, 12))
      yield* markRead(one, failures[11]!)
      yield* filed(one)
      assert.strictEqual(yield* unreadOf(one), 11)
      yield* markRead(one, failures[10]!)
      yield* post(failures[12]!)
      yield* filed(one)
      assert.strictEqual(yield* unreadOf(one), 10)
      assert.includeMembers(yield* countsIn(one), [2])
    })
  )

  it.effect("counts right however many fail, file and read at once", () =>
    Effect.gen(function* () {
      const feed = yield* NotificationFeed
      const { one } = yield* workspaces
      const agents = [anId(Uuid), anId(Uuid)]
      const posting = Array.from({ length: 60 }, (_, index) => post(failed(one, agents[index % 2]!, index / 60)))
      const filing = Array.from({ length: 30 }, () =>
        Effect.forEach(ownersOf(one), (owner) => atomic(feed.file(owner, 7)), { discard: true })
      )
      const doings = posting.flatMap((doing, index) => (index % 2 === 0 ? [doing, filing[index / 2]!] : [doing]))
      yield* Effect.forEach(doings, (doing) => doing, { concurrency: 12, discard: true })
      yield* filed(one)
      const { items, unreadCount } = yield* read(one)
      assert.strictEqual(unreadCount, 22)
      for (const agent of agents) {
        const counts = items.filter(({ about }) => about === agent).map(({ payload }) => payload["count"] ?? null)
        assert.sameMembers(counts, [...TEN_SINGLE, 20])
      }
    })
  )

  it.effect("has what is closed count as read in its workspace, whether or not it is filed, and once", () =>
    Effect.gen(function* () {
      const feed = yield* NotificationFeed
      const { one, two } = yield* workspaces
      const [first, second, third] = [anId(Uuid), anId(Uuid), anId(Uuid)]
      const asked = (workspace: FeedWorkspace, about: string) => posted(workspace, { about, type: "run.paused" })
      const mine = yield* asked(one, first)
      yield* asked(two, first)
      yield* filed(one)
      const late = yield* asked(one, second)
      yield* asked(one, third)
      for (const about of [first, second, first, anId(Uuid)]) yield* close(one, about)
      assert.deepStrictEqual(yield* feed.unfiled(9, ownersOf(one)), [ownersOf(one)[1]])
      assert.strictEqual((yield* read(one)).unfiled, 6)
      yield* filed(one)
      const { items, unfiled, unreadCount } = yield* read(one)
      assert.deepStrictEqual({ unfiled, unreadCount }, { unfiled: 0, unreadCount: 1 })
      assert.sameMembers(
        items.filter((item) => item.read).map(({ id }) => id),
        [mine.id, late.id]
      )
      assert.sameMembers(
        items.filter(({ title }) => title === CLOSED).map(({ id }) => id),
        [mine.id, late.id]
      )
      assert.strictEqual(yield* unreadOf(two), 1)
      yield* markRead(one, mine)
      yield* close(one, first)
      assert.deepStrictEqual(yield* feed.unfiled(9, ownersOf(one)), [ownersOf(one)[1]])
      yield* filed(one)
      assert.strictEqual(yield* unreadOf(one), 1)
      assert.isEmpty(yield* feed.unfiled(9, ownersOf(one)))
    })
  )

  it.effect("keeps nothing of a closing whose transaction fails", () =>
    Effect.gen(function* () {
      const unit = yield* UnitOfWork
      const { one } = yield* workspaces
      const about = anId(Uuid)
      yield* posted(one, { about, type: "run.paused" })
      yield* Effect.exit(unit.atomic(Effect.andThen(close(one, about), Effect.fail("refused"))))
      yield* filed(one)
      assert.strictEqual(yield* unreadOf(one), 1)
    })
  )

  it.effect("shows the notices of a filter alone, filed or not, and counts all", () =>
    Effect.gen(function* () {
      const feed = yield* NotificationFeed
      const { one } = yield* workspaces
      const old = yield* posted(one, { createdAt: after(0) })
      yield* filed(one)
      const asked = yield* posted(one, { createdAt: after(1), type: "run.paused" })
      yield* markRead(one, old)
      const shown = (filter: Parameters<typeof feed.read>[1]) =>
        Effect.map(feed.read(one, filter), ({ items, unreadCount }) => [items.map(({ id }) => id), unreadCount])
      for (let time = 0; time < 2; time++) {
        assert.deepStrictEqual(yield* shown({}), [[asked.id, old.id], 1])
        assert.deepStrictEqual(yield* shown({ type: "run.failed" }), [[old.id], 1])
        assert.deepStrictEqual(yield* shown({ read: true }), [[old.id], 1])
        assert.deepStrictEqual(yield* shown({ read: false }), [[asked.id], 1])
        assert.deepStrictEqual(yield* shown({ since: after(1) }), [[asked.id], 1])
        assert.deepStrictEqual(yield* shown({ since: after(0), read: true, type: "run.paused" }), [[], 1])
        yield* filed(one)
      }
    })
  )
}
