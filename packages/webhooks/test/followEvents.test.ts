import { EventId, type OrganizationId } from "@agent-platform/kernel"
import { aCaller, anId } from "@agent-platform/kernel/testing"
import {
  EventFeed,
  type FollowedEvent,
  type FollowerPlace,
  readFollowerPlace,
  Webhooks,
  writeBeginning
} from "@agent-platform/webhooks"
import { layer as stores } from "@agent-platform/webhooks/memory"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Queue, Stream } from "effect"
import { FOLLOWER_BYTES_MAX, FOLLOWER_EVENTS_MAX } from "../src/worker/EventHub.ts"
import { ports, publishEvent } from "./support.ts"

/** Reads of the feed, counted, over memory. */
const counting = (reads: Array<ReadonlyArray<OrganizationId>>) =>
  Layer.effect(
    EventFeed,
    Effect.map(EventFeed, (feed) => ({
      ...feed,
      read: (range: Parameters<typeof feed.read>[0]) => {
        reads.push(range.organizations)
        return feed.read(range)
      }
    }))
  ).pipe(Layer.provide(stores))

const layerWith = (reads: Array<ReadonlyArray<OrganizationId>>) =>
  Webhooks.layer.pipe(Layer.provideMerge(counting(reads)), Layer.provideMerge(ports), Layer.fresh)

const withHub = <A, E, R>(body: (reads: Array<ReadonlyArray<OrganizationId>>) => Effect.Effect<A, E, R>) => {
  const reads: Array<ReadonlyArray<OrganizationId>> = []
  return Effect.suspend(() => body(reads)).pipe(Effect.scoped, Effect.provide(layerWith(reads)))
}

const follow = (organizationId: OrganizationId, from?: FollowerPlace) =>
  Webhooks.use((webhooks) => webhooks.followEvents({ caller: aCaller({ organizationId }), from }))

const behind = (id: EventId): FollowerPlace => ({ kind: "event", id })

/** Follows into a queue, from when this answers. */
const following = (organizationId: OrganizationId, from?: FollowerPlace) =>
  Effect.gen(function* () {
    const { beginning, events } = yield* follow(organizationId, from)
    const seen = yield* Queue.unbounded<FollowedEvent>()
    const fiber = yield* Effect.forkScoped(Stream.runForEach(events, (event) => Queue.offer(seen, event)))
    return { beginning, fiber, next: Queue.take(seen) }
  })

describe("following an organization's events", () => {
  it.live("gives what is published from now on, in order, and nothing of other organizations", () =>
    withHub(() =>
      Effect.gen(function* () {
        const { organizationId } = aCaller()
        yield* publishEvent(organizationId)
        const { next } = yield* following(organizationId)
        yield* publishEvent(aCaller().organizationId)
        const ids = [yield* publishEvent(organizationId, "run.failed"), yield* publishEvent(organizationId)]
        const [first, second] = [yield* next, yield* next]
        assert.deepStrictEqual([first.id, second.id], ids)
        assert.strictEqual(first.type, "run.failed")
        assert.strictEqual(JSON.parse(first.body).id, ids[0])
      })
    )
  )

  it.live("leaves out what is sent by name, whether it is published before or while somebody follows", () =>
    withHub(() =>
      Effect.gen(function* () {
        const { organizationId } = aCaller()
        const first = yield* publishEvent(organizationId)
        yield* publishEvent(organizationId, "webhook.disabled")
        const before = yield* publishEvent(organizationId)
        const { next } = yield* following(organizationId, behind(first))
        assert.strictEqual((yield* next).id, before)
        yield* publishEvent(organizationId, "webhook.disabled")
        const meanwhile = yield* publishEvent(organizationId)
        assert.strictEqual((yield* next).id, meanwhile)
      })
    )
  )

  it.live("goes on after the event that was seen last, without a loss or a repetition while more are published", () =>
    withHub(() =>
      Effect.gen(function* () {
        const { organizationId } = aCaller()
        const early = yield* Effect.forEach(Array.from({ length: 600 }), () => publishEvent(organizationId))
        const { next } = yield* following(organizationId, behind(early[99]!))
        const late = yield* Effect.forEach(Array.from({ length: 20 }), () => publishEvent(organizationId))
        const expected = [...early.slice(100), ...late]
        const seen = yield* Effect.forEach(expected, () => next)
        assert.deepStrictEqual(
          seen.map(({ id }) => id),
          expected
        )
      })
    )
  )

  it.live("refuses to go on after an event that is unknown or another organization's", () =>
    withHub(() =>
      Effect.gen(function* () {
        const { organizationId } = aCaller()
        const foreign = yield* publishEvent(aCaller().organizationId)
        for (const id of [anId(EventId), foreign]) {
          assert.strictEqual((yield* Effect.flip(follow(organizationId, behind(id))))._tag, "EventUnknown")
        }
      })
    )
  )

  it.live("goes on from where it began, for a follower that was cut off before the first event", () =>
    withHub(() =>
      Effect.gen(function* () {
        const { organizationId } = aCaller()
        yield* publishEvent(organizationId)
        const { beginning } = yield* follow(organizationId)
        const missed = [yield* publishEvent(organizationId), yield* publishEvent(organizationId)]
        const place = readFollowerPlace(writeBeginning(beginning))
        const { next } = yield* following(organizationId, place)
        assert.deepStrictEqual([(yield* next).id, (yield* next).id], missed)
      })
    )
  )

  it.live("refuses to go on from a place that the feed has not come to", () =>
    withHub(() =>
      Effect.gen(function* () {
        const { organizationId } = aCaller()
        yield* publishEvent(organizationId)
        for (const text of ["at:2", "at:", "at:-1", "at:x"]) {
          const place = readFollowerPlace(text)
          assert.strictEqual((yield* Effect.flip(follow(organizationId, place)))._tag, "EventUnknown", text)
        }
      })
    )
  )

  it.live("reads the feed once for everybody who follows, and not at all for nobody", () =>
    withHub((reads) =>
      Effect.gen(function* () {
        const { organizationId } = aCaller()
        yield* publishEvent(organizationId)
        assert.isEmpty(reads)
        const followers = yield* Effect.forEach(Array.from({ length: 20 }), () => following(organizationId))
        const everybodySees = (id: EventId) =>
          Effect.forEach(followers, ({ next }) => Effect.map(next, (event) => assert.strictEqual(event.id, id)))
        // A follower that has seen the first reads together with the others.
        yield* everybodySees(yield* publishEvent(organizationId))
        reads.length = 0
        const id = yield* publishEvent(organizationId)
        yield* everybodySees(id)
        assert.isAtMost(reads.length, 2)
        for (const { fiber } of followers) yield* Fiber.interrupt(fiber)
        reads.length = 0
        yield* publishEvent(organizationId)
        const { next } = yield* following(organizationId, behind(id))
        yield* next
        assert.isAtMost(reads.length, 3)
      })
    )
  )

  it.live("keeps no more for a follower that is too slow than so many bytes, however few the events", () =>
    withHub(() =>
      Effect.gen(function* () {
        const { organizationId } = aCaller()
        const { events: stream } = yield* follow(organizationId)
        const [begun, mayGoOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const slow = yield* stream.pipe(
          Stream.tap(() => Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(mayGoOn))),
          Stream.runCollect,
          Effect.forkScoped
        )
        const note = "x".repeat(FOLLOWER_BYTES_MAX / 8)
        yield* publishEvent(organizationId, "run.succeeded", note)
        yield* Deferred.await(begun)
        const { next } = yield* following(organizationId)
        for (let count = 0; count < 30; count++) {
          const id = yield* publishEvent(organizationId, "run.succeeded", note)
          assert.strictEqual((yield* next).id, id)
        }
        yield* Deferred.succeed(mayGoOn, undefined)
        assert.isAtMost((yield* Fiber.join(slow)).length, 9)
      })
    )
  )

  it.live("cuts off a follower that is too slow, after what it was given, and takes it up again where it was", () =>
    withHub(() =>
      Effect.gen(function* () {
        const { organizationId } = aCaller()
        const { events: stream } = yield* follow(organizationId)
        const [begun, mayGoOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const slow = yield* stream.pipe(
          Stream.tap(() => Deferred.succeed(begun, undefined)),
          Stream.tap(() => Deferred.await(mayGoOn)),
          Stream.runCollect,
          Effect.forkScoped
        )
        const first = yield* publishEvent(organizationId)
        yield* Deferred.await(begun)
        const { next } = yield* following(organizationId)
        const rest = yield* Effect.forEach(Array.from({ length: FOLLOWER_EVENTS_MAX + 500 }), () =>
          publishEvent(organizationId)
        )
        // One that keeps up gets everything; by then the slow one has been cut off.
        for (const id of rest) assert.strictEqual((yield* next).id, id)
        const all = [first, ...rest]
        yield* Deferred.succeed(mayGoOn, undefined)
        const given = (yield* Fiber.join(slow)).map(({ id }) => id)
        assert.isBelow(given.length, all.length)
        assert.deepStrictEqual(given, all.slice(0, given.length))
        const resumed = yield* following(organizationId, behind(given.at(-1)!))
        for (const id of all.slice(given.length)) assert.strictEqual((yield* resumed.next).id, id)
      })
    )
  )
})
