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

/** The feed of a workspace at one moment. */
export interface FeedReading {
  /** The newest notices that pass the filter, at most `NOTIFICATIONS_SHOWN_MAX`, newest first. */
  readonly items: ReadonlyArray<Notification>
  /** How many notices of the feed are unread, whatever the filter is. Exact at its moment. */
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
 * batches, so that counting and marking all as read need not look at each. Filing also counts failures that come by the dozen in
 * one notice, by the rule of `countFailures`, and marks closed notices as read, under another title: until then each of these is one more unread
 * notice. Held by `notificationFeedContract`.
 */
export class NotificationFeed extends Context.Service<
  NotificationFeed,
  {
    readonly read: (workspace: FeedWorkspace, filter?: NotificationFilter) => Effect.Effect<FeedReading>
    /** Marks notices as read. Ids that the workspace does not see, and those of read notices, change nothing. */
    readonly markRead: (
      workspace: FeedWorkspace,
      ids: ReadonlyArray<NotificationId>
    ) => Effect.Effect<void, never, Transaction>
    /**
     * Marks the committed notices as read, and no others: a notice that is committed later is unread, however early it was made.
     * The effort does not grow with the number of filed notices.
     */
    readonly markAllRead: (workspace: FeedWorkspace) => Effect.Effect<void, never, Transaction>

    /** Up to `max` owners that have notices without a number, or closings; of `among` alone where that is given. */
    readonly unfiled: (max: number, among?: ReadonlyArray<NoticeOwner>) => Effect.Effect<ReadonlyArray<NoticeOwner>>
    /**
     * Files up to `max` of the owner's notices that have no number, the oldest: each gets its number, or is counted in another
     * notice and goes. Marks closed notices as read once no other is left to file. Returns how many notices had no number. Of
     * two calls at once one waits.
     */
    readonly file: (owner: NoticeOwner, max: number) => Effect.Effect<number, never, Transaction>

    /** How many of the owner's notices have a number, and are not forgotten. */
    readonly countFiled: (owner: NoticeOwner) => Effect.Effect<number>

    /** The place behind the last notices that have a number. */
    readonly end: (workspace: FeedWorkspace) => Effect.Effect<FeedPlace>
    /** The first notices with a number in each range, in the order of ranges: at most `max` own ones and `max` shared ones. */
    readonly since: (ranges: ReadonlyArray<FeedRange>, max: number) => Effect.Effect<ReadonlyArray<FeedPart>>

    /** For each workspace a text that is another one once notices have become read there, by marks or by filed closings. */
    readonly marks: (workspaces: ReadonlyArray<FeedWorkspace>) => Effect.Effect<ReadonlyArray<string>>

    /** Owners of some of the `max` oldest notices whose ids were made before `before`. */
    readonly outdated: (before: DateTime.Utc, max: number) => Effect.Effect<ReadonlyArray<NoticeOwner>>
    /**
     * Forgets the owner's oldest notices in the order of their numbers, at most `max`: those beyond the newest `keep`, and those
     * whose ids were made before `before`. It stops at the first notice that is neither. Forgotten notices are not counted any
     * more, read or not. Returns how many were forgotten.
     */
    readonly forget: (
      owner: NoticeOwner,
      bounds: { readonly before?: DateTime.Utc; readonly keep?: number },
      max: number
    ) => Effect.Effect<number, never, Transaction>
  }
>()("@agent-platform/feeds/NotificationFeed") {}
