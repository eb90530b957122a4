import { EVENTS_ADDED, isByName, type OrganizationCaller, type OrganizationId, Signals } from "@agent-platform/kernel"
import { makeHub, useCase } from "@agent-platform/toolkit"
import { Effect, Schema, type Scope, type Stream } from "effect"
import type { FollowerPlace } from "../FollowerPlace.ts"
import { EventFeed, type FeedPosition, type FollowedEvent } from "../ports/EventFeed.ts"

/** Events that wait for one follower at most. One that falls further behind is cut off, and comes back for the rest. */
export const FOLLOWER_EVENTS_MAX = 1_000

/** Most characters (UTF-16 units) of bodies that wait for one follower: a slow one keeps them in memory when all others have read them. */
export const FOLLOWER_BYTES_MAX = 1024 * 1024

/** How often the feed is looked at when no signal comes, while anybody follows. */
const LOOK_SECONDS = 0.25

/** Events read at once. */
const READ_MAX = 250

/** The follower's place names no event that the organization has and keeps, or no position of the feed. */
export class EventUnknown extends Schema.TaggedError<EventUnknown>()("EventUnknown", {}) {}

/** The events that somebody follows. */
export interface Following {
  /** The place where they begin: a follower that is cut off before it has seen one comes back to it. */
  readonly beginning: FeedPosition
  readonly events: Stream.Stream<FollowedEvent>
}

/**
 * Hands an organization's events to all its followers in this process: the feed is read once for all of them,
 * and not at all while there are none.
 */
export interface EventHub {
  /**
   * The organization's events as they are published, from now on or from where the caller was, each with the bytes that
   * deliveries send; those that are sent by name only are left out. None is missing and none comes twice, however late the
   * stream is run. It ends only when it is read too slowly, and the caller goes on by another. Fails with EventUnknown when
   * `from` is no place to go on from.
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
  const hub = yield* makeHub<OrganizationId, FollowedEvent, FeedPosition>(
    {
      end: feed.end,
      // A follower names no kinds, so it gets none of those that are sent by name.
      read: ({ keys, ...range }) =>
        Effect.map(feed.read({ ...range, organizations: keys }), ({ events, next }) => ({
          items: events.filter(({ type }) => !isByName(type)),
          next
        }))
    },
    {
      name: "Following events",
      keyOf: ({ organizationId }) => organizationId,
      bytesOf: ({ body }) => body.length,
      itemsMax: FOLLOWER_EVENTS_MAX,
      bytesMax: FOLLOWER_BYTES_MAX,
      readMax: READ_MAX,
      listen: Effect.map(signals.listen(EVENTS_ADDED), (next) => Effect.asVoid(next(LOOK_SECONDS)))
    }
  )

  const positionOf = Effect.fnUntraced(function* (organizationId: OrganizationId, from: FollowerPlace | undefined) {
    if (from === undefined) return yield* feed.end
    if (from.kind === "event") return yield* feed.behind(organizationId, from.id)
    return (yield* feed.hasReached(from.position)) ? from.position : undefined
  })

  return {
    follow: useCase("webhooks.followEvents")(function* ({ caller: { organizationId }, from }) {
      const beginning = yield* positionOf(organizationId, from)
      if (beginning === undefined) return yield* new EventUnknown()
      return { beginning, events: hub.follow(organizationId, beginning) }
    })
  }
})
