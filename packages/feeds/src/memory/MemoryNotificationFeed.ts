import { firstIdAt } from "@agent-platform/kernel"
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect, Layer, References } from "effect"
import { newestFirst } from "../Activity.ts"
import {
  arrivalsOf,
  type FeedWorkspace,
  NOTIFICATIONS_SHOWN_MAX,
  type NoticeOwner,
  type Notification,
  type NumberedNotification,
  ownersOf
} from "../Notification.ts"
import { type FeedRange, NotificationFeed } from "../ports/NotificationFeed.ts"
import { type NoticeRow, notificationRows, type ReaderRow } from "./notificationRows.ts"

const markOf = (reader: ReaderRow, { workspaceId }: { readonly workspaceId: string | null }) =>
  workspaceId === null ? reader.shared : reader.own

/** Reads several tables at one moment: nothing else of this process runs in between. */
const atOnce = <A>(effect: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.provideService(effect, References.PreventSchedulerYield, true)

const make = (database: MemoryDatabase["Service"]): NotificationFeed["Service"] => {
  const rows = notificationRows(database)

  /** Everything that the workspace sees, in the order of arrival, with whether it is read. */
  const seen = Effect.fnUntraced(function* (workspace: FeedWorkspace) {
    const reader = yield* rows.reader(workspace)
    const all = yield* Effect.forEach(ownersOf(workspace), rows.of)
    return yield* Effect.forEach(all.flat(), ({ notice, number }) =>
      Effect.map(rows.isRead(workspace, notice.id), (explicitly) => ({
        notification: {
          ...notice,
          read: explicitly || (number !== null && number <= markOf(reader, notice))
        } satisfies Notification,
        number
      }))
    )
  })

  const file = Effect.fnUntraced(function* (owner: NoticeOwner, max: number) {
    const tally = yield* rows.tally(owner)
    const unfiled = (yield* rows.of(owner)).filter(({ number }) => number === null).slice(0, max)
    yield* Effect.forEach(unfiled, ({ notice }, index) => rows.number(notice.id, tally.filed + index + 1), {
      discard: true
    })
    yield* rows.putTally(owner, { ...tally, filed: tally.filed + unfiled.length })
    return unfiled.length
  })

  /** Takes a forgotten notice out of the read ones. */
  const unread = Effect.fnUntraced(function* (owner: NoticeOwner, { notice, number }: NoticeRow) {
    for (const reader of yield* rows.readersOf(owner)) {
      if (!(yield* rows.isRead(reader.workspace, notice.id))) continue
      yield* rows.removeRead(reader.workspace, notice.id)
      if ((number ?? 0) > markOf(reader, owner)) {
        yield* rows.putReader(reader.workspace, { ...reader, beyond: reader.beyond - 1 })
      }
    }
  })

  return NotificationFeed.of({
    read: Effect.fnUntraced(function* (workspace) {
      const all = yield* atOnce(seen(workspace))
      return {
        items: all
          .map(({ notification }) => notification)
          .slice()
          .sort(newestFirst)
          .slice(0, NOTIFICATIONS_SHOWN_MAX),
        unreadCount: all.filter(({ notification }) => !notification.read).length,
        unfiled: all.filter(({ number }) => number === null).length
      }
    }),
    markRead: Effect.fnUntraced(function* (workspace, ids) {
      const unreadOnes = (yield* seen(workspace)).filter(
        ({ notification }) => !notification.read && ids.includes(notification.id)
      )
      yield* Effect.forEach(unreadOnes, ({ notification }) => rows.putRead(workspace, notification.id), {
        discard: true
      })
      const reader = yield* rows.reader(workspace)
      yield* rows.putReader(workspace, { ...reader, beyond: reader.beyond + unreadOnes.length })
    }),
    markAllRead: Effect.fnUntraced(function* (workspace) {
      const [shared, own] = ownersOf(workspace)
      yield* file(shared, Number.POSITIVE_INFINITY)
      yield* file(own, Number.POSITIVE_INFINITY)
      yield* rows.putReader(workspace, {
        own: (yield* rows.tally(own)).filed,
        shared: (yield* rows.tally(shared)).filed,
        beyond: 0
      })
    }),

    unfiled: Effect.fnUntraced(function* (max, among) {
      const owners = new Map<string, NoticeOwner>()
      for (const { organizationId, workspaceId } of among ?? (yield* rows.notices)) {
        owners.set(workspaceId ?? organizationId, { organizationId, workspaceId })
      }
      const waiting = yield* Effect.filter([...owners.values()], (owner) =>
        Effect.map(rows.of(owner), (all) => all.some(({ number }) => number === null))
      )
      return waiting.slice(0, max)
    }),
    file,

    filed: (owner) => Effect.map(rows.tally(owner), ({ filed, forgotten }) => filed - forgotten),

    end: Effect.fnUntraced(function* (workspace) {
      const [shared, own] = ownersOf(workspace)
      return { own: (yield* rows.tally(own)).filed, shared: (yield* rows.tally(shared)).filed }
    }),
    since: (ranges, max) =>
      Effect.forEach(
        ranges,
        Effect.fnUntraced(function* ({ after, upTo, workspace }: FeedRange) {
          const numbered = (yield* atOnce(seen(workspace))).filter(
            (one): one is NumberedNotification => one.number !== null
          )
          const within = (kind: "own" | "shared") =>
            numbered
              .filter(({ notification }) => (notification.workspaceId === null) === (kind === "shared"))
              .filter(({ number }) => number > after[kind] && (upTo === undefined || number <= upTo[kind]))
              .sort((one, two) => one.number - two.number)
              .slice(0, max)
          const [own, shared] = [within("own"), within("shared")]
          const arrivals = arrivalsOf(after, own, shared, max)
          return {
            arrivals,
            next: arrivals.at(-1)?.place ?? after,
            more: own.length === max || shared.length === max
          }
        })
      ),

    outdated: (before, max) =>
      Effect.map(rows.notices, (all) => {
        const bound = firstIdAt(before)
        const old = all.filter(({ id }) => id < bound).slice(0, max)
        const owners = old.map(({ organizationId, workspaceId }): NoticeOwner => ({ organizationId, workspaceId }))
        return [...new Map(owners.map((owner) => [owner.workspaceId ?? owner.organizationId, owner])).values()]
      }),
    forget: Effect.fnUntraced(function* (owner, { before, keep }, max) {
      yield* file(owner, Number.POSITIVE_INFINITY)
      const bound = before === undefined ? "" : firstIdAt(before)
      const kept = keep === undefined ? 0 : (yield* rows.tally(owner)).filed - keep
      const head = (yield* rows.of(owner)).sort((one, two) => (one.number ?? 0) - (two.number ?? 0)).slice(0, max)
      const young = head.findIndex(({ notice, number }) => notice.id >= bound && (number ?? 0) > kept)
      const gone = young === -1 ? head : head.slice(0, young)
      for (const row of gone) {
        yield* unread(owner, row)
        yield* rows.remove(row.notice.id)
      }
      const tally = yield* rows.tally(owner)
      yield* rows.putTally(owner, { ...tally, forgotten: gone.at(-1)?.number ?? tally.forgotten })
      return gone.length
    })
  })
}

/** The notices that the feed log of a `MemoryDatabase` holds. */
export const layerNotificationFeed: Layer.Layer<NotificationFeed, never, MemoryDatabase> = Layer.effect(
  NotificationFeed,
  MemoryDatabase.use((database) => Effect.succeed(make(database)))
)
