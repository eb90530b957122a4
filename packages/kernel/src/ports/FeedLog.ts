import { Context, Effect, Layer } from "effect"
import type { ActivityRecord, ActivityTally, NoticeClosing, NotificationRecord } from "../Feed.ts"
import type { Transaction } from "./UnitOfWork.ts"

/** The topic that is raised when notices were posted. */
export const NOTICES_POSTED = "notifications.posted"

/**
 * Where every domain writes what the feeds show, in the transaction of its cause: an entry is there if and only
 * if it happened. Held by `feedLogContract`.
 */
export class FeedLog extends Context.Service<
  FeedLog,
  {
    /** Adds entries to the activity feed. */
    readonly record: (...entries: ReadonlyArray<ActivityRecord>) => Effect.Effect<void, never, Transaction>
    /**
     * Adds tallies to the activity feed, each with another key. One whose key was tallied in the same minute, by the clock of
     * the store, adds its count to the entry that is there, and gives it its summary and payload.
     */
    readonly tally: (...tallies: ReadonlyArray<ActivityTally>) => Effect.Effect<void, never, Transaction>
    /** Adds notices to the notification feed, unread, and raises `NOTICES_POSTED`. */
    readonly notify: (...notices: ReadonlyArray<NotificationRecord>) => Effect.Effect<void, never, Transaction>
    /** Has a workspace's notices about a resource that were posted so far count as read, under the closing's title. Waits for no other transaction. */
    readonly close: (...closings: ReadonlyArray<NoticeClosing>) => Effect.Effect<void, never, Transaction>
  }
>()("@agent-platform/kernel/FeedLog") {
  /** For hosts that show no feeds: acts and notices are not kept. */
  static readonly layerNone: Layer.Layer<FeedLog> = Layer.succeed(FeedLog, {
    record: () => Effect.void,
    tally: () => Effect.void,
    notify: () => Effect.void,
    close: () => Effect.void
  })
}
