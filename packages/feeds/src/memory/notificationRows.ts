/** Rows beside the notices of a `MemoryDatabase`: their numbers, and how far each workspace has read. */
import type { NotificationRecord, WorkspaceId } from "@agent-platform/kernel"
import { feedTables, type MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import type { NoticeOwner } from "../Notification.ts"

/** A notice with its number; null while it has none. */
export interface NoticeRow {
  readonly notice: NotificationRecord
  readonly number: number | null
}

/** How many numbers an owner's notices were given, and up to which of them they are forgotten. */
export interface TallyRow {
  readonly filed: number
  readonly forgotten: number
}

/** Up to which numbers a workspace has read everything, and which notices it has read one by one since. */
export interface ReaderRow {
  readonly workspaceId: WorkspaceId
  readonly own: number
  readonly shared: number
  readonly ids: ReadonlyArray<string>
}

/** The owner as a key: ids of organizations and workspaces differ. */
export const keyOf = ({ organizationId, workspaceId }: NoticeOwner): string => workspaceId ?? organizationId

/** The rows, by whom they concern. */
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
