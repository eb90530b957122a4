import type { ActivityId, ActivityRecord, OrganizationId } from "@agent-platform/kernel"
import { Context, type Effect, Schema } from "effect"

/** A place in an organization's activity, right behind an entry. Its text is the adapter's, of 1 to 100 visible characters. */
export const ActivityPlace = Schema.String.pipe(Schema.brand("ActivityPlace"))
export type ActivityPlace = typeof ActivityPlace.Type

/** A point before which no entry is added any more. Its text is the adapter's. */
export const ActivityWatermark = Schema.String.pipe(Schema.brand("ActivityWatermark"))
export type ActivityWatermark = typeof ActivityWatermark.Type

/** A part of an organization's activity: behind a place, or from the beginning, and before a watermark. */
export interface ActivityRange {
  readonly organizationId: OrganizationId
  readonly after: ActivityPlace | undefined
  readonly before: ActivityWatermark
  readonly limit: number
}

/** Entries in the order in which they settle. */
export interface ActivityPart {
  readonly entries: ReadonlyArray<ActivityRecord>
  /** The place behind the last of them; without entries the `after` of the range. */
  readonly end: ActivityPlace | undefined
  /** Whether more may follow before the watermark. */
  readonly more: boolean
}

/** Activity in the order in which it settles, for exports: that order never changes. Held by `activityHistoryContract`. */
export class ActivityHistory extends Context.Service<
  ActivityHistory,
  {
    /** The watermark of now: every entry before it is older than every open transaction. */
    readonly watermark: Effect.Effect<ActivityWatermark>
    /**
     * At most `limit` entries, and none from the first tally on whose minute was not over at the watermark, since it may still
     * change. A reader that goes on from each end reads every entry once, however late it was committed.
     */
    readonly read: (range: ActivityRange) => Effect.Effect<ActivityPart>
    /** Whether a reader can go on from this place: it is one of the organization's, before the watermark of now. */
    readonly hasReached: (organizationId: OrganizationId, place: ActivityPlace) => Effect.Effect<boolean>
    /** The organization's entries with these ids, in no order; ids that are not there are left out. */
    readonly find: (
      organizationId: OrganizationId,
      ids: ReadonlyArray<ActivityId>
    ) => Effect.Effect<ReadonlyArray<ActivityRecord>>
  }
>()("@agent-platform/feeds/ActivityHistory") {}
