import type { EventId, OrganizationId } from "@agent-platform/kernel"
import { Context, Effect, Layer, Schema } from "effect"

/** A place in the feed, between two events. What it says is for the adapter alone. */
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
     * Whether the feed has come to a place that a follower names. False for what no feed has given out, and for what one
     * gave out that was further than this one is: in a database that was restored from a dump, for instance.
     */
    readonly hasReached: (place: FeedPosition) => Effect.Effect<boolean>
    /** The place right behind the organization's event; undefined when it is not there, or not reached by `end` yet. */
    readonly behind: (organizationId: OrganizationId, eventId: EventId) => Effect.Effect<FeedPosition | undefined>
    /**
     * The first `limit` events of these organizations between two places, in the feed's order, none of them behind the one with
     * which their bodies come to `FEED_PAGE_BYTES`; and the place to go on from: behind the last of them, or `upTo` when there
     * are no more. `upTo` was given out by `end`.
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
      hasReached: (place) => Effect.succeed(place === nowhere),
      behind: () => Effect.succeed(undefined),
      read: () => Effect.succeed({ events: [], next: nowhere })
    })
  })
}
