import type { NotificationId, Transaction } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type {
  Arrival,
  FeedPlace,
  FeedWorkspace,
  NoticeOwner,
  Notification,
  NotificationFilter
} from "../Notification.ts"

/** The feed of a workspace as it stands, all of it of the same moment. */
export interface FeedReading {
  /** The notices of the filter that arrived last, at most `NOTIFICATIONS_SHOWN_MAX`, newest first. */
  readonly items: ReadonlyArray<Notification>
  /** How many notices of the feed are unread. Exact, whatever else is going on. */
  readonly unreadCount: number
  /** How many notices and closings are still to be filed; reading takes time in proportion. */
  readonly unfiled: number
}

/** A part of a workspace's feed: behind a place, up to another or to the end. */
export interface FeedRange {
  readonly workspace: FeedWorkspace
  readonly after: FeedPlace
  readonly upTo: FeedPlace | undefined
}

/** The arrivals of a range, from its beginning. */
export interface FeedPart {
  readonly arrivals: ReadonlyArray<Arrival>
  /** Where to go on. */
  readonly next: FeedPlace
  /** Whether the range may hold more. */
  readonly more: boolean
}

/**
 * Reads the notices that the kernel's `FeedLog` posted. A workspace sees the notices to it and those to its whole organization,
 * and its marks concern no other.
 *
 * Posting and closing wait for nobody: a notice has no number at first. Filing gives the committed ones their numbers, in
 * batches, so that counting and marking all as read need not look at each. It is also where failures that come by the dozen are
 * counted in one notice, as `countFailures` has it, and where closed notices become read: until then they stand one by one, and
 * unread, and the count with them. Held by `notificationFeedContract`.
 */
export class NotificationFeed extends Context.Service<
  NotificationFeed,
  {
    readonly read: (workspace: FeedWorkspace, filter?: NotificationFilter) => Effect.Effect<FeedReading>
    /** Marks these of the notices that the workspace sees as read. Ids that it does not see, and read ones, change nothing. */
    readonly markRead: (
      workspace: FeedWorkspace,
      ids: ReadonlyArray<NotificationId>
    ) => Effect.Effect<void, never, Transaction>
    /**
     * Marks the committed notices as read, and no others: a notice that is committed later is unread, however early it was made.
     * The effort does not grow with the number of filed notices.
     */
    readonly markAllRead: (workspace: FeedWorkspace) => Effect.Effect<void, never, Transaction>

    /** Owners with notices that have no number, or with closings, at most `max`; of `among` alone, where that is given. */
    readonly unfiled: (max: number, among?: ReadonlyArray<NoticeOwner>) => Effect.Effect<ReadonlyArray<NoticeOwner>>
    /**
     * Gives the owner's oldest `max` notices without a number theirs, but for those that are gone into one that counts them, and
     * has what was closed count as read once nothing else is left. Answers how many notices that were. Of two at once one waits.
     */
    readonly file: (owner: NoticeOwner, max: number) => Effect.Effect<number, never, Transaction>

    /** How many of the owner's notices have a number. */
    readonly filed: (owner: NoticeOwner) => Effect.Effect<number>

    /** Behind the last notice that has a number. */
    readonly end: (workspace: FeedWorkspace) => Effect.Effect<FeedPlace>
    /** The first notices with a number in each range, in its order: at most `max` of the workspace's, and of the shared. */
    readonly since: (ranges: ReadonlyArray<FeedRange>, max: number) => Effect.Effect<ReadonlyArray<FeedPart>>

    /** Owners of some of the `max` oldest notices whose ids were made before `before`. */
    readonly outdated: (before: DateTime.Utc, max: number) => Effect.Effect<ReadonlyArray<NoticeOwner>>
    /**
     * Forgets the owner's oldest notices, at most `max`: those beyond the newest `keep`, and in the order of their numbers those
     * with ids from before `before`, up to the first younger one. They count no more, read or not. Answers how many.
     */
    readonly forget: (
      owner: NoticeOwner,
      bounds: { readonly before?: DateTime.Utc; readonly keep?: number },
      max: number
    ) => Effect.Effect<number, never, Transaction>
  }
>()("@agent-platform/feeds/NotificationFeed") {}
