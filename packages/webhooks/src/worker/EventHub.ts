import { EVENTS_ADDED, isByName, type OrganizationCaller, type OrganizationId, Signals } from "@agent-platform/kernel"
import { persistently, useCase } from "@agent-platform/toolkit"
import { type Cause, Effect, Latch, Option, Queue, Schema, type Scope, Semaphore, Stream } from "effect"
import type { FollowerPlace } from "../FollowerPlace.ts"
import { EventFeed, type FeedPosition, type FollowedEvent } from "../ports/EventFeed.ts"

/** Events that wait for one follower at most. One that falls further behind is cut off, and comes back for the rest. */
export const FOLLOWER_EVENTS_MAX = 1_000

/** Bytes of their bodies at most: a follower's events are kept for it alone once others have read them. */
export const FOLLOWER_BYTES_MAX = 1024 * 1024

/** How often the feed is looked at when no signal comes, while anybody follows. */
const LOOK_SECONDS = 0.25

/** Events read at once. */
const READ_MAX = 250

/** The feed cannot be gone on from there: not an event of the organization's that is kept, or no place of the feed. */
export class EventUnknown extends Schema.TaggedError<EventUnknown>()("EventUnknown", {}) {}

/** The events that somebody follows. */
export interface Following {
  /** Where they begin: a follower that is cut off before the first of them comes back to it. */
  readonly beginning: FeedPosition
  readonly events: Stream.Stream<FollowedEvent>
}

/** The events that one follower still has to read, and their bytes. */
interface Follower {
  readonly queue: Queue.Queue<FollowedEvent, Cause.Done>
  bytes: number
}

/** The events of a follower, uncounted as it takes them. */
const eventsFor = (follower: Follower): Stream.Stream<FollowedEvent> =>
  Stream.mapArray(Stream.fromQueue(follower.queue), (taken) => {
    for (const { body } of taken) follower.bytes -= body.length
    return taken
  })

/**
 * Hands an organization's events to all its followers in this process: the feed is read once for all of them,
 * and not at all while there are none.
 */
export interface EventHub {
  /**
   * The organization's events but those that are sent by name, as they are published, from now on or from where the caller was, each with the bytes that
   * deliveries send. Nothing is left out and nothing comes twice, however late the stream is run. It has no end of its own; one
   * that is read too slowly ends, and is taken up where it was. Fails with EventUnknown when `from` cannot be gone on from.
   */
  readonly follow: (query: {
    readonly caller: OrganizationCaller
    readonly from: FollowerPlace | undefined
  }) => Effect.Effect<Following, EventUnknown>
}

/** A hub over the feed, until the scope closes. */
export const makeEventHub: Effect.Effect<EventHub, never, EventFeed | Signals | Scope.Scope> = Effect.gen(function* () {
  const feed = yield* EventFeed
  const signals = yield* Signals
  const lock = yield* Semaphore.make(1)
  const followed = yield* Latch.make(false)
  const followers = new Map<OrganizationId, Set<Follower>>()
  // Everything up to here has been handed out to the followers of then.
  let position: FeedPosition | undefined

  // A follower names no kinds.
  const hand = (event: FollowedEvent) => {
    if (isByName(event.type)) return
    for (const follower of followers.get(event.organizationId) ?? []) {
      const isTooMuch = follower.bytes > 0 && follower.bytes + event.body.length > FOLLOWER_BYTES_MAX
      if (isTooMuch || !Queue.offerUnsafe(follower.queue, event)) Queue.endUnsafe(follower.queue)
      else follower.bytes += event.body.length
    }
  }

  /** Hands out what has come since; under the lock. */
  const advance = Effect.gen(function* () {
    const upTo = yield* feed.end
    while (position !== undefined && position !== upTo) {
      const organizations = [...followers.keys()]
      const { events, next } = yield* feed.read({ organizations, after: position, upTo, limit: READ_MAX })
      events.forEach(hand)
      position = next
    }
    position = upTo
    return upTo
  })

  const leave = (organizationId: OrganizationId, follower: Follower) =>
    Effect.sync(() => {
      const all = followers.get(organizationId)
      all?.delete(follower)
      if (all?.size === 0) followers.delete(organizationId)
      if (followers.size > 0) return
      position = undefined
      Latch.closeUnsafe(followed)
    })

  const join = Effect.fnUntraced(function* (organizationId: OrganizationId) {
    const queue = yield* Queue.dropping<FollowedEvent, Cause.Done>(FOLLOWER_EVENTS_MAX)
    const follower: Follower = { queue, bytes: 0 }
    const enter = Effect.map(advance, (joinedAt) => {
      followers.set(organizationId, (followers.get(organizationId) ?? new Set()).add(follower))
      Latch.openUnsafe(followed)
      return joinedAt
    })
    const joinedAt = yield* Effect.acquireRelease(lock.withPermits(1)(enter), () => leave(organizationId, follower))
    return { joinedAt, follower }
  })

  const between = (organizationId: OrganizationId, after: FeedPosition, upTo: FeedPosition) =>
    after === upTo
      ? Stream.empty
      : Stream.paginate(after, (from) =>
          Effect.map(
            feed.read({ organizations: [organizationId], after: from, upTo, limit: READ_MAX }),
            ({ events, next }) =>
              [events.filter(({ type }) => !isByName(type)), next === upTo ? Option.none() : Option.some(next)] as const
          )
        )

  const whileFollowed = Effect.scoped(
    Effect.gen(function* () {
      const next = yield* signals.listen(EVENTS_ADDED)
      while (followers.size > 0) {
        yield* lock.withPermits(1)(advance)
        yield* next(LOOK_SECONDS)
      }
    })
  )
  yield* Effect.forkScoped(persistently("Following events", Effect.andThen(followed.await, whileFollowed)))

  const positionOf = Effect.fnUntraced(function* (organizationId: OrganizationId, from: FollowerPlace | undefined) {
    if (from === undefined) return yield* feed.end
    if (from.kind === "event") return yield* feed.behind(organizationId, from.id)
    return (yield* feed.hasReached(from.position)) ? from.position : undefined
  })

  return {
    follow: useCase("webhooks.followEvents")(function* ({ caller: { organizationId }, from }) {
      const beginning = yield* positionOf(organizationId, from)
      if (beginning === undefined) return yield* new EventUnknown()
      const events = Effect.map(join(organizationId), ({ follower, joinedAt }) =>
        Stream.concat(between(organizationId, beginning, joinedAt), eventsFor(follower))
      )
      return { beginning, events: Stream.unwrap(events) }
    })
  }
})
