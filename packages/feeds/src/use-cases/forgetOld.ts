import { UnitOfWork } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { ACTIVITY_DAYS } from "../Activity.ts"
import { NOTIFICATION_DAYS } from "../Notification.ts"
import { ActivityFeed } from "../ports/ActivityFeed.ts"
import { NotificationFeed } from "../ports/NotificationFeed.ts"

/** Most rows that go in one transaction: no lock is held for long, and finished batches stay. */
export const FORGET_MAX = 5_000

/** How long the entries of the feeds are kept, in days. */
export interface Retention {
  readonly notificationDays: number
  readonly activityDays: number
}

/** Goes on until a round forgets nothing, since `outdated` names the owners of only some of the old notices. */
const forgetNotices = Effect.fnUntraced(function* (before: DateTime.Utc) {
  const feed = yield* NotificationFeed
  const unit = yield* UnitOfWork
  let total = 0
  while (true) {
    let forgotten = 0
    for (const owner of yield* feed.outdated(before, FORGET_MAX)) {
      forgotten += yield* unit.atomic(feed.forget(owner, { before }, FORGET_MAX))
    }
    if (forgotten === 0) return total
    total += forgotten
  }
})

const forgetEntries = Effect.fnUntraced(function* (before: DateTime.Utc) {
  const feed = yield* ActivityFeed
  const unit = yield* UnitOfWork
  let total = 0
  while (true) {
    const forgotten = yield* unit.atomic(feed.forget(before, FORGET_MAX))
    total += forgotten
    if (forgotten < FORGET_MAX) return total
  }
})

/**
 * Forgets notices and entries beyond their age, in batches. Safe to do at any time, repeatedly and at once; the next call goes on
 * where one was broken off. Returns how many of each were forgotten.
 */
export const forgetOld = useCase("feeds.forgetOld")(function* (
  { activityDays, notificationDays }: Retention = { activityDays: ACTIVITY_DAYS, notificationDays: NOTIFICATION_DAYS }
) {
  const now = yield* DateTime.now
  const notifications = yield* forgetNotices(DateTime.subtract(now, { days: notificationDays }))
  const activity = yield* forgetEntries(DateTime.subtract(now, { days: activityDays }))
  return { notifications, activity }
})
