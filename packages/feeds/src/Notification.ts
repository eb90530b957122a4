/** The notification feed of a workspace: its own notices and those of its organization, and which of them are read. */
import type { NotificationRecord, NotificationType, OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { DateTime, Schema } from "effect"

/** Most notices that the feed shows. Spec: Notifications. */
export const NOTIFICATIONS_SHOWN_MAX = 50

/** Most notices that are marked as read by their ids at once. */
export const MARK_READ_MAX = 100

/** How long notices are kept at least, unless the deployment says otherwise. */
export const NOTIFICATION_DAYS = 90

/** A workspace that has a feed, and its organization. */
export interface FeedWorkspace {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
}

/** The addressee of notices: one workspace, or, where that is null, every workspace of the organization. */
export interface NoticeOwner {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId | null
}

/** A notice as a workspace sees it. Each workspace has its own `read`, also for a notice to its whole organization. */
export interface Notification extends NotificationRecord {
  readonly read: boolean
}

/** Which notices are shown; an undefined filter does not matter. Filters combine. The unread count is of all notices. */
export interface NotificationFilter {
  readonly type?: NotificationType | undefined
  readonly read?: boolean | undefined
  /** Posted at this time or later. */
  readonly since?: DateTime.Utc | undefined
}

/** Whether a notice is one of those that are shown. */
export const passes = (notice: Notification, { read, since, type }: NotificationFilter): boolean =>
  (type === undefined || notice.type === type) &&
  (read === undefined || notice.read === read) &&
  (since === undefined || DateTime.isGreaterThanOrEqualTo(notice.createdAt, since))

/**
 * A position in a workspace's feed: a number among the notices to the workspace itself (`own`), and one among those to its
 * whole organization (`shared`). Numbers begin at 1 and follow the order in which notices were committed.
 */
export interface FeedPlace {
  readonly own: number
  readonly shared: number
}

/** A notice that has arrived, and the place right behind it. */
export interface Arrival {
  readonly notification: Notification
  readonly place: FeedPlace
}

/** Notices have become read, by marks or because what they ask for was done; and how far the feed is read by then. */
export interface Marked {
  /** How many are unread now. */
  readonly unreadCount: number
  readonly place: FeedPlace
}

/** There is no such place in the workspace's feed yet. */
export class PlaceUnknown extends Schema.TaggedError<PlaceUnknown>()("PlaceUnknown", {}) {}

/** Where the feed of every workspace begins. */
export const BEGINNING: FeedPlace = { own: 0, shared: 0 }

/** The two owners whose notices a workspace sees: the organization first, which is also the order of their locks. */
export const ownersOf = ({ organizationId, workspaceId }: FeedWorkspace): readonly [NoticeOwner, NoticeOwner] => [
  { organizationId, workspaceId: null },
  { organizationId, workspaceId }
]

/** The place as text, for a reader to come back to. */
export const writePlace = ({ own, shared }: FeedPlace): string => `${own}.${shared}`

/** Reads a place from its text; undefined where it is none. */
export const readPlace = (text: string): FeedPlace | undefined => {
  const found = /^(\d{1,15})\.(\d{1,15})$/.exec(text)
  return found === null ? undefined : { own: Number(found[1]), shared: Number(found[2]) }
}

/** Whether neither number of the place is beyond the end. */
export const isWithin = (place: FeedPlace, end: FeedPlace): boolean =>
  place.own <= end.own && place.shared <= end.shared

/** A notice with its number. */
export interface NumberedNotification {
  readonly notification: Notification
  readonly number: number
}

const isEarlier = (one: NumberedNotification, two: NumberedNotification) =>
  DateTime.isLessThan(one.notification.createdAt, two.notification.createdAt)

/**
 * Merges the notices of both kinds by time, while each kind keeps the order of its numbers, so that readers can come back to the
 * place of each. At most `max` of a kind were read: where there are so many, others may follow, so nothing comes after the last of them.
 */
export const arrivalsOf = (
  after: FeedPlace,
  own: ReadonlyArray<NumberedNotification>,
  shared: ReadonlyArray<NumberedNotification>,
  max: number
): ReadonlyArray<Arrival> => {
  const arrivals: Array<Arrival> = []
  let place = after
  let [ownIndex, sharedIndex] = [0, 0]
  while (ownIndex < own.length || sharedIndex < shared.length) {
    if (ownIndex === max || sharedIndex === max) break
    const [nextOwn, nextShared] = [own[ownIndex], shared[sharedIndex]]
    if (nextOwn !== undefined && (nextShared === undefined || !isEarlier(nextShared, nextOwn))) {
      place = { ...place, own: nextOwn.number }
      arrivals.push({ notification: nextOwn.notification, place })
      ownIndex++
    } else if (nextShared !== undefined) {
      place = { ...place, shared: nextShared.number }
      arrivals.push({ notification: nextShared.notification, place })
      sharedIndex++
    }
  }
  return arrivals
}
