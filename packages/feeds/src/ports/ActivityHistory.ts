import type { ActivityId, ActivityRecord, OrganizationId } from "@agent-platform/kernel"
import { Context, type Effect, Schema } from "effect"

/** A place in an organization's activity, right behind an entry. Its text is the adapter's, of 1 to 100 visible characters. */
export const ActivityPlace = Schema.String.pipe(Schema.brand("ActivityPlace"))
export type ActivityPlace = typeof ActivityPlace.Type

/** Up to where all activity is settled: no entry is added there any more, and none changes. Its text is the adapter's. */
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
  /** Behind the last of them; the place that it was read after where there are none. */
  readonly end: ActivityPlace | undefined
  /** Whether more may follow before the watermark. */
  readonly more: boolean
}

/** Activity in the order in which it settles, for exports: that order never changes. Held by `activityHistoryContract`. */
export class ActivityHistory extends Context.Service<
  ActivityHistory,
  {
    /** Everything before it is older than every open transaction. Stops at the first tally whose minute is not over. */
    readonly watermark: Effect.Effect<ActivityWatermark>
    /** At most `limit` entries. A reader that goes on from each end reads every entry once, however late it was committed. */
    readonly read: (range: ActivityRange) => Effect.Effect<ActivityPart>
    /** Whether it can be gone on from this place: it is one of the organization's, before the watermark of now. */
    readonly hasReached: (organizationId: OrganizationId, place: ActivityPlace) => Effect.Effect<boolean>
    /** Those of the organization's entries that are there, in no order. */
    readonly find: (
      organizationId: OrganizationId,
      ids: ReadonlyArray<ActivityId>
    ) => Effect.Effect<ReadonlyArray<ActivityRecord>>
  }
>()("@agent-platform/feeds/ActivityHistory") {}
