/** Rows beside the notices of a `MemoryDatabase`: their numbers, and how far each workspace has read. */
import type { NotificationRecord } from "@agent-platform/kernel"
import { feedTables, type MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import type { FeedWorkspace, NoticeOwner } from "../Notification.ts"

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

/** Up to which numbers a workspace has read everything, and how many notices beyond them it has read one by one. */
export interface ReaderRow {
  readonly own: number
  readonly shared: number
  readonly beyond: number
}

const keyOf = ({ organizationId, workspaceId }: NoticeOwner) => workspaceId ?? organizationId

/** The rows, by whom they concern. */
export const notificationRows = (database: MemoryDatabase["Service"]) => {
  const { notification } = feedTables(database)
  const numbers = database.table<number>("notification_number")
  const tallies = database.table<TallyRow>("notification_tally")
  const readers = database.table<ReaderRow & { readonly workspace: FeedWorkspace }>("notification_reader")
  const reads = database.table<FeedWorkspace>("notification_read")
  const readKey = ({ workspaceId }: FeedWorkspace, id: string) => `${id} ${workspaceId}`

  return {
    notices: notification.all,
    of: (owner: NoticeOwner) =>
      Effect.flatMap(notification.all, (all) =>
        Effect.forEach(
          all.filter((one) => one.organizationId === owner.organizationId && one.workspaceId === owner.workspaceId),
          (notice) => Effect.map(numbers.get(notice.id), (number): NoticeRow => ({ notice, number: number ?? null }))
        )
      ),
    number: (id: string, number: number) => numbers.put(id, number),
    remove: (id: string) => Effect.andThen(numbers.remove(id), notification.remove(id)),
    tally: (owner: NoticeOwner) =>
      Effect.map(tallies.get(keyOf(owner)), (row): TallyRow => row ?? { filed: 0, forgotten: 0 }),
    putTally: (owner: NoticeOwner, row: TallyRow) => tallies.put(keyOf(owner), row),
    reader: (workspace: FeedWorkspace) =>
      Effect.map(readers.get(workspace.workspaceId), (row): ReaderRow => row ?? { own: 0, shared: 0, beyond: 0 }),
    putReader: (workspace: FeedWorkspace, row: ReaderRow) => readers.put(workspace.workspaceId, { ...row, workspace }),
    /** The workspaces that see the owner's notices and have read anything. */
    readersOf: (owner: NoticeOwner) =>
      Effect.map(readers.all, (all) =>
        all.filter(
          ({ workspace }) =>
            workspace.organizationId === owner.organizationId &&
            (owner.workspaceId === null || owner.workspaceId === workspace.workspaceId)
        )
      ),
    isRead: (workspace: FeedWorkspace, id: string) =>
      Effect.map(reads.get(readKey(workspace, id)), (row) => row !== undefined),
    putRead: ({ organizationId, workspaceId }: FeedWorkspace, id: string) =>
      reads.put(readKey({ organizationId, workspaceId }, id), { organizationId, workspaceId }),
    removeRead: (workspace: FeedWorkspace, id: string) => reads.remove(readKey(workspace, id))
  }
}
