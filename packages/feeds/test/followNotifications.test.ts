import { type Arrival, type FeedPlace, Feeds, type News, NotificationFeed } from "@agent-platform/feeds"
import { layer as stores } from "@agent-platform/feeds/memory"
import { atomic, closeNotices, Uuid, type WorkspaceCaller } from "@agent-platform/kernel"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { aCaller, anId } from "@agent-platform/kernel/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer, Queue, Stream } from "effect"
import { FOLLOWER_NOTICES_MAX } from "../src/NotificationHub.ts"
import { post } from "./support.ts"

const AT = DateTime.makeUnsafe("2020-11-21T05:15:00.123Z")

/** The workspaces whose notices cannot be read, so many times. */
const unreadable = new Map<string, number>()

/** Reads of the feed, counted, over memory. */
const counting = (reads: Array<number>) =>
  Layer.effect(
    NotificationFeed,
    Effect.map(NotificationFeed, (feed) => ({
      ...feed,
      read: (...[workspace, page]: Parameters<typeof feed.read>) => {
        const times = unreadable.get(workspace.workspaceId) ?? 0
        unreadable.set(workspace.workspaceId, times - 1)
        return times > 0 ? Effect.die(new Error("The database was away")) : feed.read(workspace, page)
      },
      since: (...[ranges, max]: Parameters<typeof feed.since>) => {
        reads.push(ranges.length)
        return feed.since(ranges, max)
      }
    }))
  ).pipe(Layer.provideMerge(stores))

const withHub = <A, E, R>(body: (reads: Array<number>) => Effect.Effect<A, E, R>) => {
  const reads: Array<number> = []
  const layer = Feeds.layer.pipe(Layer.provideMerge(counting(reads)), Layer.provideMerge(kernel), Layer.fresh)
  return Effect.suspend(() => body(reads)).pipe(Effect.scoped, Effect.provide(layer))
}

const follow = (caller: WorkspaceCaller, after?: FeedPlace) =>
  Feeds.use((feeds) => feeds.followNotifications({ caller, after }))

/** Follows into a queue, from when this answers. */
const following = (caller: WorkspaceCaller, after?: FeedPlace) =>
  Effect.gen(function* () {
    const { arrivals, from } = yield* follow(caller, after)
    const seen = yield* Queue.unbounded<Arrival>()
    const fiber = yield* Effect.forkScoped(Stream.runForEach(arrivals, (arrival) => Queue.offer(seen, arrival)))
    return { fiber, from, next: Queue.take(seen) }
  })

const ids = (arrivals: ReadonlyArray<Arrival>) => arrivals.map(({ notification }) => notification.id)

describe("following notifications", () => {
  it.live("gives what is posted to the workspace and to its organization from now on, and nothing else", () =>
    withHub(() =>
      Effect.gen(function* () {
        const caller = aCaller()
        const sibling = aCaller({ organizationId: caller.organizationId })
        yield* post(caller)
        const { next } = yield* following(caller)
        yield* post(aCaller())
        yield* post(sibling)
        const [mine] = yield* post(caller)
        const [shared] = yield* post(caller, [{ workspaceId: null }])
        const seen = [yield* next, yield* next]
        assert.deepStrictEqual(ids(seen), [mine!.id, shared!.id])
        assert.deepStrictEqual(seen[0]?.notification, { ...mine!, read: false })
      })
    )
  )

  it.live("tells how many are unread where notices have become read, and who comes back at once", () =>
    withHub(() =>
      Effect.gen(function* () {
        const caller = aCaller()
        const about = anId(Uuid)
        yield* post(caller, [{ about, type: "run.paused" }])
        yield* post(caller)
        const told = Effect.fnUntraced(function* (after?: FeedPlace) {
          const { news } = yield* follow(caller, after)
          const queue = yield* Queue.unbounded<News>()
          yield* Effect.forkScoped(Stream.runForEach(news, (one) => Queue.offer(queue, one)))
          return Queue.take(queue)
        })
        const next = yield* told()
        yield* atomic(closeNotices({ ...caller, about, title: "It was answered" }))
        const place = { own: 2, shared: 0 }
        assert.deepStrictEqual(yield* next, { unreadCount: 1, place })
        yield* Feeds.use((feeds) => feeds.markRead({ caller, which: "all" }))
        assert.deepStrictEqual(yield* next, { unreadCount: 0, place })
        assert.deepStrictEqual(yield* yield* told(place), { unreadCount: 0, place })
      })
    )
  )

  it.live("tells the count later where it cannot be read, and others meanwhile", () =>
    withHub(() =>
      Effect.gen(function* () {
        const [caller, other] = [aCaller(), aCaller()]
        const [notice] = yield* post(caller)
        const { news } = yield* follow(caller)
        const told = yield* Queue.unbounded<News>()
        yield* Effect.forkScoped(Stream.runForEach(news, (one) => Queue.offer(told, one)))
        yield* post(caller)
        yield* Queue.take(told)
        unreadable.set(caller.workspaceId, 2)
        yield* atomic(NotificationFeed.use((feed) => feed.markRead(caller, [notice!.id])))
        const { next } = yield* following(other)
        yield* post(other)
        yield* next
        assert.propertyVal(yield* Queue.take(told), "unreadCount", 1)
        assert.isBelow(unreadable.get(caller.workspaceId) ?? 0, 0)
      })
    )
  )

  it.live("goes on after every place, without a loss or a repetition while more are posted", () =>
    withHub(() =>
      Effect.gen(function* () {
        const caller = aCaller()
        const first = yield* following(caller)
        const early = yield* post(
          caller,
          Array.from({ length: 450 }, (_, number) => ({
            createdAt: DateTime.add(AT, { seconds: number }),
            ...(number % 5 === 0 ? { workspaceId: null } : {})
          }))
        )
        const seen = yield* Effect.forEach(early, () => first.next)
        assert.deepStrictEqual(
          ids(seen),
          early.map(({ id }) => id)
        )
        const { next } = yield* following(caller, seen[99]?.place)
        const late = yield* Effect.forEach(Array.from({ length: 5 }), () => post(caller))
        const rest = yield* Effect.forEach(Array.from({ length: 355 }), () => next)
        assert.deepStrictEqual(ids(rest), [...ids(seen).slice(100), ...late.flat().map(({ id }) => id)])
      })
    )
  )

  it.live("goes on from where it began for a follower that was cut off before anything came", () =>
    withHub(() =>
      Effect.gen(function* () {
        const caller = aCaller()
        yield* post(caller)
        const { fiber, from } = yield* following(caller)
        yield* Fiber.interrupt(fiber)
        const [missed] = yield* post(caller)
        const { next } = yield* following(caller, from)
        assert.strictEqual((yield* next).notification.id, missed!.id)
      })
    )
  )

  it.live("refuses a place that the feed has not come to", () =>
    withHub(() =>
      Effect.gen(function* () {
        const caller = aCaller()
        yield* post(caller)
        for (const place of [
          { own: 2, shared: 0 },
          { own: 1, shared: 1 }
        ]) {
          assert.strictEqual((yield* Effect.flip(follow(caller, place)))._tag, "PlaceUnknown")
        }
        yield* follow(caller, { own: 1, shared: 0 })
      })
    )
  )

  it.live("reads once for everybody who follows in this process, and not at all for nobody", () =>
    withHub((reads) =>
      Effect.gen(function* () {
        const callers = [aCaller(), aCaller()]
        yield* post(callers[0]!)
        assert.isEmpty(reads)
        const followers = yield* Effect.forEach(Array.from({ length: 20 }), (_, number) =>
          following(callers[number % 2]!)
        )
        const everybodySees = Effect.gen(function* () {
          for (const caller of callers) yield* post(caller)
          for (const { next } of followers) yield* next
        })
        // A follower that has seen the first is not reading on its own any more.
        yield* everybodySees
        reads.length = 0
        yield* everybodySees
        assert.isAtMost(reads.length, 4)
        assert.isTrue(reads.every((workspaces) => workspaces === 2))
        for (const { fiber } of followers) yield* Fiber.interrupt(fiber)
        reads.length = 0
        yield* post(callers[0]!)
        const { next } = yield* following(callers[0]!, { own: 0, shared: 0 })
        yield* next
        assert.isAtMost(reads.length, 3)
      })
    )
  )

  it.live("cuts off a follower that is too slow, after what it was given, and takes it up again where it was", () =>
    withHub(() =>
      Effect.gen(function* () {
        const caller = aCaller()
        const { arrivals } = yield* follow(caller)
        const [begun, mayGoOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const slow = yield* arrivals.pipe(
          Stream.tap(() => Deferred.succeed(begun, undefined)),
          Stream.tap(() => Deferred.await(mayGoOn)),
          Stream.runCollect,
          Effect.forkScoped
        )
        const first = yield* post(caller)
        yield* Deferred.await(begun)
        const { next } = yield* following(caller)
        const rest = []
        for (let batch = 0; batch < 6; batch++) {
          const posted = yield* post(
            caller,
            Array.from({ length: FOLLOWER_NOTICES_MAX / 4 }, () => ({}))
          )
          // A follower that keeps up gets everything; by the end the slow one has been given up.
          for (const _ of posted) rest.push((yield* next).notification.id)
        }
        const all = [first[0]!.id, ...rest]
        yield* Deferred.succeed(mayGoOn, undefined)
        const given = yield* Fiber.join(slow)
        assert.isBelow(given.length, all.length)
        assert.deepStrictEqual(ids(given), all.slice(0, given.length))
        const resumed = yield* following(caller, given.at(-1)?.place)
        const others = yield* Effect.forEach(all.slice(given.length), () => resumed.next)
        assert.deepStrictEqual(ids(others), all.slice(given.length))
      })
    )
  )
})
