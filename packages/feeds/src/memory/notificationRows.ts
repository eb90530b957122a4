/** Rows beside the notices of a `MemoryDatabase`: their numbers, closings, and how far each workspace has read. */
import type { NotificationRecord, WorkspaceId } from "@agent-platform/kernel"
import { feedTables, type MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import type { NoticeOwner } from "../Notification.ts"

/** A notice with its number, which filing gives it (see `NotificationFeed`); null until then. */
export interface NoticeRow {
  readonly notice: NotificationRecord
  readonly number: number | null
}

/** The numbers of an owner's notices. */
export interface TallyRow {
  /** The last number that was given. */
  readonly filed: number
  /** The number up to which notices are forgotten. */
  readonly forgotten: number
}

/** The notices that a workspace has read: all up to two numbers, as in `FeedPlace`, and beyond them single notices. */
export interface ReaderRow {
  readonly workspaceId: WorkspaceId
  readonly own: number
  readonly shared: number
  readonly ids: ReadonlyArray<string>
}

/** The owner as a key: an organization and a workspace never have the same id. */
export const keyOf = ({ organizationId, workspaceId }: NoticeOwner): string => workspaceId ?? organizationId

/** Reads and writes these rows. `closing` holds the acts that closed notices and that filing has yet to apply. */
export const notificationRows = (database: MemoryDatabase["Service"]) => {
  const { closing, notification } = feedTables(database)
  const numbers = database.table<number>("notification_number")
  const tallies = database.table<TallyRow>("notification_tally")
  const readers = database.table<ReaderRow>("notification_reader")

  return {
    notices: notification.all,
    of: Effect.fnUntraced(function* (owner: NoticeOwner) {
      const all = (yield* notification.all).filter((notice) => keyOf(notice) === keyOf(owner))
      return yield* Effect.forEach(all, (notice) =>
        Effect.map(numbers.get(notice.id), (number): NoticeRow => ({ notice, number: number ?? null }))
      )
    }),
    put: (notice: NotificationRecord) => notification.put(notice.id, notice),
    closingsOf: ({ workspaceId }: NoticeOwner) =>
      Effect.map(closing.all, (all) => all.filter((one) => one.workspaceId === workspaceId)),
    removeClosing: (id: string) => closing.remove(id),
    number: (id: string, number: number) => numbers.put(id, number),
    tally: (owner: NoticeOwner) =>
      Effect.map(tallies.get(keyOf(owner)), (row): TallyRow => row ?? { filed: 0, forgotten: 0 }),
    putTally: (owner: NoticeOwner, row: TallyRow) => tallies.put(keyOf(owner), row),
    reader: (workspaceId: WorkspaceId) =>
      Effect.map(readers.get(workspaceId), (row): ReaderRow => row ?? { workspaceId, own: 0, shared: 0, ids: [] }),
    putReader: (row: ReaderRow) => readers.put(row.workspaceId, row),
    remove: Effect.fnUntraced(function* (id: string) {
      yield* numbers.remove(id)
      yield* notification.remove(id)
      for (const row of yield* readers.all) {
        if (row.ids.includes(id))
          yield* readers.put(row.workspaceId, { ...row, ids: row.ids.filter((one) => one !== id) })
      }
    })
  }
}
