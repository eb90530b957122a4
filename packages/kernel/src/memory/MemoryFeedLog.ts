import { DateTime, Effect, Layer } from "effect"
import type { ActivityId, ActivityRecord, ActivityTally, NoticeClosing, NotificationRecord } from "../Feed.ts"
import { FeedLog, NOTICES_POSTED } from "../ports/FeedLog.ts"
import { Signals } from "../ports/Signals.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

/** A tally of one minute: the entry that shows it, and until when its count may grow. */
export interface TallyRow {
  readonly key: string
  readonly id: ActivityId
  readonly count: number
  readonly until: DateTime.Utc
}

/** The tables of the feed log, oldest entry first. */
export const feedTables = (database: MemoryDatabase["Service"]) => ({
  activity: database.table<ActivityRecord>("activity"),
  tally: database.table<TallyRow>("activity_tally"),
  notification: database.table<NotificationRecord>("notification"),
  closing: database.table<NoticeClosing>("notification_closing")
})

/** The feed log over a `MemoryDatabase`. */
export const layerFeedLog: Layer.Layer<FeedLog, never, MemoryDatabase | Signals> = Layer.effect(
  FeedLog,
  Effect.gen(function* () {
    const { activity, closing, notification, tally } = feedTables(yield* MemoryDatabase)
    const signals = yield* Signals

    const addTally = Effect.fnUntraced(function* ({ count, entry, key }: ActivityTally) {
      const until = DateTime.add(DateTime.startOf(yield* DateTime.now, "minute"), { minutes: 1 })
      const rowKey = `${entry.organizationId} ${key} ${until.epochMilliseconds}`
      const earlier = yield* tally.get(rowKey)
      // Where its entry is gone, by retention or erasure, the tally starts over with a new one.
      const entryThere = earlier === undefined ? undefined : yield* activity.get(earlier.id)
      const { createdAt, id } = entryThere ?? entry
      const total = (entryThere === undefined ? 0 : (earlier?.count ?? 0)) + count
      yield* tally.put(rowKey, { key: rowKey, id, count: total, until })
      yield* activity.put(id, { ...entry, id, createdAt, payload: { ...entry.payload, count: total } })
    })

    return FeedLog.of({
      record: (...entries) => Effect.forEach(entries, (entry) => activity.put(entry.id, entry), { discard: true }),
      tally: (...tallies) => Effect.forEach(tallies, addTally, { discard: true }),
      notify: (...notices) =>
        Effect.andThen(
          Effect.forEach(notices, (notice) => notification.put(notice.id, notice), { discard: true }),
          signals.raise(NOTICES_POSTED)
        ),
      close: (...closings) => Effect.forEach(closings, (one) => closing.put(one.id, one), { discard: true })
    })
  })
)
