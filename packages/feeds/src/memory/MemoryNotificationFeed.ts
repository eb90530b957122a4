import { firstIdAt, type NotificationRecord } from "@agent-platform/kernel"
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { DateTime, Effect, Layer, References } from "effect"
import { newestFirst } from "../Activity.ts"
import { countFailures, failuresMatterFrom, isCountable } from "../countFailures.ts"
import {
  arrivalsOf,
  type FeedWorkspace,
  NOTIFICATIONS_SHOWN_MAX,
  type NoticeOwner,
  type Notification,
  type NumberedNotification,
  ownersOf,
  passes
} from "../Notification.ts"
import { type FeedRange, NotificationFeed } from "../ports/NotificationFeed.ts"
import { keyOf, notificationRows } from "./notificationRows.ts"

/** Reads several tables at one moment: nothing else of this process runs in between. */
const atOnce = <A>(effect: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.provideService(effect, References.PreventSchedulerYield, true)

/** The owners of some notices, each once. */
const distinct = (owners: ReadonlyArray<NoticeOwner>): ReadonlyArray<NoticeOwner> => [
  ...new Map(
    owners.map(({ organizationId, workspaceId }) => {
      const owner = { organizationId, workspaceId }
      return [keyOf(owner), owner]
    })
  ).values()
]

const make = (database: MemoryDatabase["Service"]): NotificationFeed["Service"] => {
  const rows = notificationRows(database)

  /** The notices that the workspace sees, each with its number and whether it is read. */
  const visibleTo = Effect.fnUntraced(function* (workspace: FeedWorkspace) {
    const reader = yield* rows.reader(workspace.workspaceId)
    const all = yield* Effect.forEach(ownersOf(workspace), rows.of)
    return all.flat().map(({ notice, number }) => {
      const readUpTo = notice.workspaceId === null ? reader.shared : reader.own
      const read = reader.ids.includes(notice.id) || (number !== null && number <= readUpTo)
      return { notification: { ...notice, read } satisfies Notification, number }
    })
  })

  /** Counts failures among these unfiled notices where there are many, and returns the ids of those that are counted now. */
  const countFailuresAmong = Effect.fnUntraced(function* (
    owner: NoticeOwner,
    unfiled: ReadonlyArray<NotificationRecord>
  ) {
    if (owner.workspaceId === null) return []
    const { ids } = yield* rows.reader(owner.workspaceId)
    const fresh = unfiled.filter((notice) => isCountable(notice) && !ids.includes(notice.id))
    if (fresh.length === 0) return []
    const from = failuresMatterFrom(fresh.map(({ createdAt }) => createdAt).reduce(DateTime.min))
    const known = (yield* rows.of(owner))
      .filter(({ notice, number }) => number !== null && isCountable(notice))
      .map(({ notice }) => notice)
      .filter(
        ({ about, createdAt }) => DateTime.isGreaterThan(createdAt, from) && fresh.some((one) => one.about === about)
      )
    const { counted, counting } = countFailures(known.sort(newestFirst).reverse(), fresh)
    for (const id of counted) yield* rows.remove(id)
    yield* Effect.forEach(counting, rows.put, { discard: true })
    return counted
  })

  /** Has the notices count as read that were closed, and say so. */
  const markClosedRead = Effect.fnUntraced(function* (owner: NoticeOwner) {
    if (owner.workspaceId === null) return
    const closings = yield* rows.closingsOf(owner)
    if (closings.length === 0) return
    const reader = yield* rows.reader(owner.workspaceId)
    const closed = (yield* rows.of(owner)).filter(({ notice }) => closings.some(({ about }) => about === notice.about))
    yield* rows.putReader({ ...reader, ids: [...new Set([...reader.ids, ...closed.map(({ notice }) => notice.id)])] })
    for (const { notice } of closed) {
      const closing = closings.find(({ about }) => about === notice.about)
      yield* rows.put({ ...notice, title: closing?.title ?? notice.title })
    }
    for (const { id } of closings) yield* rows.removeClosing(id)
  })

  /** Gives unfiled notices their numbers, as `NotificationFeed.file` has it. */
  const file = Effect.fnUntraced(function* (owner: NoticeOwner, max: number) {
    const unfiled = (yield* rows.of(owner)).filter(({ number }) => number === null).slice(0, max)
    const counted = yield* countFailuresAmong(
      owner,
      unfiled.map(({ notice }) => notice)
    )
    const tally = yield* rows.tally(owner)
    const uncounted = unfiled.filter(({ notice }) => !counted.includes(notice.id))
    yield* Effect.forEach(uncounted, ({ notice }, index) => rows.number(notice.id, tally.filed + index + 1), {
      discard: true
    })
    yield* rows.putTally(owner, { ...tally, filed: tally.filed + uncounted.length })
    if (unfiled.length < max) yield* markClosedRead(owner)
    return unfiled.length
  })

  const end = Effect.fnUntraced(function* (workspace: FeedWorkspace) {
    const [shared, own] = ownersOf(workspace)
    return { own: (yield* rows.tally(own)).filed, shared: (yield* rows.tally(shared)).filed }
  })

  return NotificationFeed.of({
    read: Effect.fnUntraced(function* (workspace, filter = {}) {
      const all = yield* atOnce(visibleTo(workspace))
      const closings = yield* rows.closingsOf(workspace)
      return {
        items: all
          .map(({ notification }) => notification)
          .filter((notification) => passes(notification, filter))
          .sort(newestFirst)
          .slice(0, NOTIFICATIONS_SHOWN_MAX),
        unreadCount: all.filter(({ notification }) => !notification.read).length,
        unfiled: all.filter(({ number }) => number === null).length + closings.length
      }
    }),
    markRead: Effect.fnUntraced(function* (workspace, ids) {
      const visible = (yield* visibleTo(workspace)).map(({ notification }) => notification.id)
      const reader = yield* rows.reader(workspace.workspaceId)
      const marked = visible.filter((id) => ids.includes(id))
      yield* rows.putReader({ ...reader, ids: [...new Set([...reader.ids, ...marked])] })
    }),
    markAllRead: Effect.fnUntraced(function* (workspace) {
      for (const owner of ownersOf(workspace)) yield* file(owner, Number.POSITIVE_INFINITY)
      yield* rows.putReader({ workspaceId: workspace.workspaceId, ...(yield* end(workspace)), ids: [] })
    }),

    unfiled: Effect.fnUntraced(function* (max, among) {
      const owners = distinct(among ?? (yield* rows.notices))
      const waiting = yield* Effect.filter(owners, (owner) =>
        Effect.map(
          Effect.all([rows.of(owner), rows.closingsOf(owner)]),
          ([all, closings]) => closings.length > 0 || all.some(({ number }) => number === null)
        )
      )
      return waiting.slice(0, max)
    }),
    file,

    countFiled: (owner) => Effect.map(rows.tally(owner), ({ filed, forgotten }) => filed - forgotten),

    end,
    since: (ranges, max) =>
      Effect.forEach(
        ranges,
        Effect.fnUntraced(function* ({ after, upTo, workspace }: FeedRange) {
          const numbered = (yield* atOnce(visibleTo(workspace))).filter(
            (one): one is NumberedNotification => one.number !== null
          )
          const inRange = (kind: "own" | "shared") =>
            numbered
              .filter(({ notification }) => (notification.workspaceId === null) === (kind === "shared"))
              .filter(({ number }) => number > after[kind] && (upTo === undefined || number <= upTo[kind]))
              .sort((one, two) => one.number - two.number)
              .slice(0, max)
          const [own, shared] = [inRange("own"), inRange("shared")]
          const arrivals = arrivalsOf(after, own, shared, max)
          return {
            arrivals,
            next: arrivals.at(-1)?.place ?? after,
            more: own.length === max || shared.length === max
          }
        })
      ),

    marks: (workspaces) =>
      Effect.forEach(workspaces, ({ workspaceId }) => Effect.map(rows.reader(workspaceId), JSON.stringify)),

    outdated: (before, max) =>
      Effect.map(rows.notices, (all) => distinct(all.filter(({ id }) => id < firstIdAt(before)).slice(0, max))),
    forget: Effect.fnUntraced(function* (owner, { before, keep }, max) {
      yield* file(owner, Number.POSITIVE_INFINITY)
      // Without `before` no id is too old, and without `keep` no number is beyond it.
      const firstYoungId = before === undefined ? "" : firstIdAt(before)
      const surplusUpTo = keep === undefined ? 0 : (yield* rows.tally(owner)).filed - keep
      const oldest = (yield* rows.of(owner)).sort((one, two) => (one.number ?? 0) - (two.number ?? 0)).slice(0, max)
      const firstKept = oldest.findIndex(
        ({ notice, number }) => notice.id >= firstYoungId && (number ?? 0) > surplusUpTo
      )
      const forgotten = firstKept === -1 ? oldest : oldest.slice(0, firstKept)
      for (const { notice } of forgotten) yield* rows.remove(notice.id)
      const tally = yield* rows.tally(owner)
      yield* rows.putTally(owner, { ...tally, forgotten: forgotten.at(-1)?.number ?? tally.forgotten })
      return forgotten.length
    })
  })
}

/** The notices that the feed log of a `MemoryDatabase` holds. */
export const layerNotificationFeed: Layer.Layer<NotificationFeed, never, MemoryDatabase> = Layer.effect(
  NotificationFeed,
  Effect.map(MemoryDatabase, make)
)
