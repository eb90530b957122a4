import type { Notification, NumberedNotification } from "@agent-platform/feeds"
import type { NoticeClosing, NotificationRecord } from "@agent-platform/kernel"
import { bigint, boolean, json, nullable, text, timestamptz, uuid } from "../columnTypes.ts"
import { makeTable, type Row } from "../table.ts"

/** Notices. The table has one column more, for the number that filing gives them. */
export const notificationTable = makeTable<NotificationRecord>("notification", {
  id: uuid(),
  organizationId: uuid(),
  workspaceId: nullable(uuid()),
  type: text(),
  about: nullable(uuid()),
  title: text(),
  body: text(),
  payload: json(),
  createdAt: timestamptz()
})

/** Closings since the notices of their workspace were filed last. */
export const closingTable = makeTable<NoticeClosing>("notification_closing", {
  organizationId: uuid(),
  workspaceId: uuid(),
  id: uuid(),
  about: uuid(),
  title: text()
})

/** The part of a notice that a later failure changes. */
export const growingTable = notificationTable.pick("id", "title", "body", "payload")

/** The columns of notices and their numbers; `read` depends on the workspace that reads. */
export const NOTIFICATION_COLUMNS = `${notificationTable.selected}, number`

const seenTable = notificationTable.with<Pick<Notification, "read">>({ read: boolean() })
const numberedTable = seenTable.with<Pick<NumberedNotification, "number">>({ number: bigint() })

export const toNotification = seenTable.read

/** As `toNotification`, for a notice that has a number. */
export const toNumbered = (row: Row): NumberedNotification => {
  const { number, ...notification } = numberedTable.read(row)
  return { notification, number }
}
