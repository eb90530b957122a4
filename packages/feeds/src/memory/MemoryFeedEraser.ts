import {
  type ActivityRecord,
  ERASED_PERSON,
  type Erased,
  type NotificationRecord,
  portionOf,
  rowsMaxOf
} from "@agent-platform/kernel"
import { countWhere, eraseWhere, feedTables, layerMemory } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import { FeedEraser } from "../ports/FeedEraser.ts"
import { keyOf, notificationRows } from "./notificationRows.ts"

const isOwn = (what: Erased, owner: Pick<ActivityRecord, "organizationId" | "workspaceId">): boolean =>
  what._tag === "Tenant" && what.organizationId === owner.organizationId && what.workspaceId === owner.workspaceId

/** Entries about erasures stay. */
const isOfErasure = ({ action }: ActivityRecord): boolean => /\.(erased|erasure_requested)$/.test(action)

const isEntry = (what: Erased, entry: ActivityRecord): boolean => {
  if (what._tag === "Person") {
    const isNamed = what.memberIds.includes(entry.resourceId) || what.emails.includes(String(entry.payload["email"]))
    return entry.resourceType === "member" && isNamed
  }
  if (isOfErasure(entry) || entry.organizationId !== what.organizationId) return false
  return what._tag === "Tenant" ? isOwn(what, entry) : what.ids.includes(entry.resourceId)
}

/** Those already unnamed do not count: an erasure is over when nothing is left to count. */
const isActor = (what: Erased, { actor }: ActivityRecord): boolean =>
  what._tag === "Person" && what.userId === actor.id && actor.label !== ERASED_PERSON

const unnamed = (entry: ActivityRecord): ActivityRecord => ({
  ...entry,
  actor: { ...entry.actor, label: ERASED_PERSON },
  summary: entry.actor.label === "" ? entry.summary : entry.summary.replaceAll(entry.actor.label, ERASED_PERSON)
})

const isAbout = (what: Erased, notice: NotificationRecord): boolean =>
  what._tag === "Resources" &&
  what.organizationId === notice.organizationId &&
  what.ids.includes(String(notice.payload["run_id"]))

const blank = (notice: NotificationRecord): NotificationRecord => ({ ...notice, title: "", body: "", payload: {} })

const idOf = ({ id }: { readonly id: string }): string => id

/** The eraser of the feeds over a `MemoryDatabase`. What goes, what only loses its words, and why, says `FeedEraser`. */
export const layerFeedEraser = layerMemory(FeedEraser)((database) => {
  const { activity, notification } = feedTables(database)
  const { remove } = notificationRows(database)
  const isNotice = (what: Erased) => (notice: NotificationRecord) => isAbout(what, notice) || isOwn(what, notice)
  return {
    count: Effect.fnUntraced(function* (what, max) {
      return {
        activity: yield* countWhere(activity, (entry) => isEntry(what, entry), max),
        activity_by_person: yield* countWhere(activity, (entry) => isActor(what, entry), max),
        notifications: yield* countWhere(notification, isNotice(what), max)
      }
    }),
    erase: Effect.fnUntraced(function* (what, rowsMax) {
      const max = rowsMaxOf(what, rowsMax)
      const gone = (yield* notification.all).filter((notice) => isOwn(what, notice)).slice(0, max)
      for (const notice of gone) yield* remove(notice.id)
      if (what._tag === "Tenant") {
        const key = keyOf({ organizationId: what.organizationId, workspaceId: what.workspaceId })
        for (const name of ["notification_tally", "notification_reader"]) yield* database.table(name).remove(key)
      }
      return portionOf(what, {
        activity: yield* eraseWhere(activity, idOf, (entry) => isEntry(what, entry), max),
        activity_by_person: yield* eraseWhere(activity, idOf, (entry) => isActor(what, entry), max, unnamed),
        notifications: gone.length + (yield* eraseWhere(notification, idOf, (one) => isAbout(what, one), max, blank))
      })
    })
  }
})
