import type { EventId, OrganizationId } from "@agent-platform/kernel"
import { Context, Effect, Layer, Schema } from "effect"

/** A place in the feed, between two events. Only the adapter reads its text. */
export const FeedPosition = Schema.String.pipe(Schema.brand("FeedPosition"))
export type FeedPosition = typeof FeedPosition.Type

/** Bytes of bodies at which a page ends, so that a slow reader costs no more memory than that and one event. */
export const FEED_PAGE_BYTES = 256 * 1024

/** An event as followers get it. */
export interface FollowedEvent {
  readonly id: EventId
  readonly organizationId: OrganizationId
  readonly type: string
  /** The envelope's JSON, the very bytes that deliveries sign and send. */
  readonly body: string
}

/**
 * The event log in an order that can be followed: an event never comes before a position that was given out earlier,
 * however late its transaction commits. Events from before the feed was introduced are not in it. Held by `eventFeedContract`.
 */
export class EventFeed extends Context.Service<
  EventFeed,
  {
    /** Where the feed ends now. Every event that is committed later comes after it; one that is committed already may, too. */
    readonly end: Effect.Effect<FeedPosition>
    /**
     * Whether the feed has come to a place that a follower names. False for a text that no feed gave out as a place, and for a
     * place ahead of this feed, as there are once the database was restored from a dump.
     */
    readonly hasReached: (position: FeedPosition) => Effect.Effect<boolean>
    /** The place right behind the organization's event; undefined where there is none, or `end` has not reached it yet. */
    readonly behind: (organizationId: OrganizationId, eventId: EventId) => Effect.Effect<FeedPosition | undefined>
    /**
     * Up to `limit` events of these organizations between two places, in the feed's order. It stops early at the event with which
     * their data comes to `FEED_PAGE_BYTES`. `next` is the place to go on from: behind the last of the events, or `upTo` when
     * there are no more. `upTo` was given out by `end`.
     */
    readonly read: (range: {
      readonly organizations: ReadonlyArray<OrganizationId>
      readonly after: FeedPosition
      readonly upTo: FeedPosition
      readonly limit: number
    }) => Effect.Effect<{ readonly events: ReadonlyArray<FollowedEvent>; readonly next: FeedPosition }>
  }
>()("@agent-platform/webhooks/EventFeed") {
  /** A feed without events, for hosts without followers: a stream of events is empty. */
  static readonly layerEmpty: Layer.Layer<EventFeed> = Layer.sync(EventFeed, () => {
    const nowhere = FeedPosition.make("nowhere")
    return EventFeed.of({
      end: Effect.succeed(nowhere),
      hasReached: (position) => Effect.succeed(position === nowhere),
      behind: () => Effect.succeed(undefined),
      read: () => Effect.succeed({ events: [], next: nowhere })
    })
  })
}
