import type { ActivityRecord, Page, Transaction } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { ActivityFilter, ActivityPageRequest, ActivityScope } from "../Activity.ts"

/** Reads the acts that the kernel's `FeedLog` recorded. Held by `activityFeedContract`. */
export class ActivityFeed extends Context.Service<
  ActivityFeed,
  {
    /**
     * The entries that pass the filters, newest first. An entry that is committed before the first page is read comes on exactly
     * one page, and a later one on one page at most, whatever is written meanwhile. A page costs the same however many entries
     * there are, for every combination of filters; with `resourceId` no more than the entries about that resource cost.
     */
    readonly list: (
      scope: ActivityScope,
      filter: ActivityFilter,
      page: ActivityPageRequest
    ) => Effect.Effect<Page<ActivityRecord>>
    /** Forgets entries whose ids were made before `before`, the oldest first, at most `max`. Returns how many. */
    readonly forget: (before: DateTime.Utc, max: number) => Effect.Effect<number, never, Transaction>
  }
>()("@agent-platform/feeds/ActivityFeed") {}
