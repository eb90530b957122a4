/** The activity feed: which entries a list shows, and where a page ends. Spec: Activity. */
import { ActivityId, type ActivityRecord, type Actor, type Page, parseId } from "@agent-platform/kernel"
import { DateTime, Option } from "effect"
import type { FeedWorkspace } from "./Notification.ts"

/** How long entries are kept at least, unless the deployment says otherwise. */
export const ACTIVITY_DAYS = 400

/** Every kind of actor. Spec: Activity entry. */
export const ACTOR_TYPES: ReadonlyArray<Actor["type"]> = ["user", "agent", "system"]

/** The owners of listed entries: a workspace, and with `includesOrganization` its organization as well. */
export interface ActivityScope extends FeedWorkspace {
  readonly includesOrganization: boolean
}

/** The filters of entries; an undefined one does not matter. Filters combine. Spec: Activity 1. */
export interface ActivityFilter {
  readonly resourceType?: string | undefined
  readonly resourceId?: string | undefined
  readonly actorType?: Actor["type"] | undefined
  /** Done at this time or later. */
  readonly since?: DateTime.Utc | undefined
}

/** The place of an entry in a list: newest first, by the time of the act and then by its id. It never changes. */
export interface ActivityPosition {
  readonly createdAt: DateTime.Utc
  readonly id: ActivityId
}

/** A page of the list: the entries behind `before`, at most `limit`. */
export interface ActivityPageRequest {
  readonly limit: number
  readonly before: ActivityPosition | undefined
}

/** The position as text, for cursors. */
export const writePosition = ({ createdAt, id }: ActivityPosition): string => `${DateTime.formatIso(createdAt)} ${id}`

/** Reads a position from its text; undefined where it is none. */
export const readPosition = (text: string): ActivityPosition | undefined => {
  const [time = "", idText = ""] = text.split(" ")
  const createdAt = Option.getOrUndefined(DateTime.make(time))
  const id = parseId(ActivityId, idText)
  return createdAt === undefined || id === undefined ? undefined : { createdAt: DateTime.toUtc(createdAt), id }
}

/** Cuts a page out of `limit + 1` entries: a store reads one more to know whether others follow. */
export const toActivityPage = (entries: ReadonlyArray<ActivityRecord>, limit: number): Page<ActivityRecord> => {
  const items = entries.slice(0, limit)
  const last = items.at(-1)
  return { items, next: entries.length > limit && last !== undefined ? writePosition(last) : undefined }
}

/** Whether an entry belongs to the scope and passes the filter. */
export const isListed = (entry: ActivityRecord, scope: ActivityScope, filter: ActivityFilter): boolean =>
  entry.organizationId === scope.organizationId &&
  (entry.workspaceId === scope.workspaceId || (scope.includesOrganization && entry.workspaceId === null)) &&
  (filter.resourceType === undefined || entry.resourceType === filter.resourceType) &&
  (filter.resourceId === undefined || entry.resourceId === filter.resourceId) &&
  (filter.actorType === undefined || entry.actor.type === filter.actorType) &&
  (filter.since === undefined || DateTime.isGreaterThanOrEqualTo(entry.createdAt, filter.since))

/** The order of lists, by time and id. */
export const newestFirst = (
  one: { readonly createdAt: DateTime.Utc; readonly id: string },
  two: { readonly createdAt: DateTime.Utc; readonly id: string }
): number => {
  const difference = DateTime.toEpochMillis(two.createdAt) - DateTime.toEpochMillis(one.createdAt)
  return difference !== 0 ? difference : one.id < two.id ? 1 : one.id > two.id ? -1 : 0
}
