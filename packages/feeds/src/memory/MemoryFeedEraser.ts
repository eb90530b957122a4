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

const isOfErasedTenant = (what: Erased, owner: Pick<ActivityRecord, "organizationId" | "workspaceId">): boolean =>
  what._tag === "Tenant" && what.organizationId === owner.organizationId && what.workspaceId === owner.workspaceId

/** Whether an entry is about an erasure itself. */
const isOfErasure = ({ action }: ActivityRecord): boolean => /\.(erased|erasure_requested)$/.test(action)

/** Whether an entry goes, by the rules of `FeedEraser`. */
const isErasedEntry = (what: Erased, entry: ActivityRecord): boolean => {
  if (what._tag === "Person") {
    const isNamed = what.memberIds.includes(entry.resourceId) || what.emails.includes(String(entry.payload["email"]))
    return entry.resourceType === "member" && isNamed
  }
  if (isOfErasure(entry) || entry.organizationId !== what.organizationId) return false
  return what._tag === "Tenant" ? isOfErasedTenant(what, entry) : what.ids.includes(entry.resourceId)
}

/** Whether an entry still names the erased person as its actor. An erasure is over when no such entry is left to count. */
const namesErasedPerson = (what: Erased, { actor }: ActivityRecord): boolean =>
  what._tag === "Person" && what.userId === actor.id && actor.label !== ERASED_PERSON

const withoutName = (entry: ActivityRecord): ActivityRecord => ({
  ...entry,
  actor: { ...entry.actor, label: ERASED_PERSON },
  summary: entry.actor.label === "" ? entry.summary : entry.summary.replaceAll(entry.actor.label, ERASED_PERSON)
})

const isAboutErasedResource = (what: Erased, notice: NotificationRecord): boolean =>
  what._tag === "Resources" &&
  what.organizationId === notice.organizationId &&
  what.ids.includes(String(notice.payload["run_id"]))

const withoutWords = (notice: NotificationRecord): NotificationRecord => ({
  ...notice,
  title: "",
  body: "",
  payload: {}
})

const idOf = ({ id }: { readonly id: string }): string => id

/** The eraser of the feeds over a `MemoryDatabase`. `FeedEraser` says what goes, what only loses its words, and why. */
export const layerFeedEraser = layerMemory(FeedEraser)((database) => {
  const { activity, notification } = feedTables(database)
  const { remove } = notificationRows(database)
  const isErasedNotice = (what: Erased) => (notice: NotificationRecord) =>
    isAboutErasedResource(what, notice) || isOfErasedTenant(what, notice)
  return {
    count: Effect.fnUntraced(function* (what, max) {
      return {
        activity: yield* countWhere(activity, (entry) => isErasedEntry(what, entry), max),
        activity_by_person: yield* countWhere(activity, (entry) => namesErasedPerson(what, entry), max),
        notifications: yield* countWhere(notification, isErasedNotice(what), max)
      }
    }),
    erase: Effect.fnUntraced(function* (what, rowsMax) {
      const max = rowsMaxOf(what, rowsMax)
      const ofTenant = (yield* notification.all).filter((notice) => isOfErasedTenant(what, notice)).slice(0, max)
      for (const notice of ofTenant) yield* remove(notice.id)
      if (what._tag === "Tenant") {
        const key = keyOf({ organizationId: what.organizationId, workspaceId: what.workspaceId })
        for (const name of ["notification_tally", "notification_reader"]) yield* database.table(name).remove(key)
      }
      return portionOf(what, {
        activity: yield* eraseWhere(activity, idOf, (entry) => isErasedEntry(what, entry), max),
        activity_by_person: yield* eraseWhere(
          activity,
          idOf,
          (entry) => namesErasedPerson(what, entry),
          max,
          withoutName
        ),
        notifications:
          ofTenant.length +
          (yield* eraseWhere(notification, idOf, (one) => isAboutErasedResource(what, one), max, withoutWords))
      })
    })
  }
})
