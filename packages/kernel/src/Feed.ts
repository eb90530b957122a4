/** The entries of the feeds: acts, and notices to the people who look after a workspace. */
import { type DateTime, Schema } from "effect"
import type { Actor } from "./Caller.ts"
import { type OrganizationId, Uuid, type WorkspaceId } from "./Ids.ts"

/** One entry of the activity feed. */
export const ActivityId = Uuid.pipe(Schema.brand("ActivityId"))
export type ActivityId = typeof ActivityId.Type

/** One notice of the notification feed. */
export const NotificationId = Uuid.pipe(Schema.brand("NotificationId"))
export type NotificationId = typeof NotificationId.Type

/** The free-form part of an entry: JSON without secrets. */
export type FeedPayload = { readonly [name: string]: Schema.Json }

/** Something that somebody did. */
export interface ActivityRecord {
  readonly id: ActivityId
  readonly organizationId: OrganizationId
  /** The workspace it was done in; null for an act on the organization itself. */
  readonly workspaceId: WorkspaceId | null
  /** `<resource>.<verb in the past>`, such as `api_key.created`. */
  readonly action: string
  readonly actor: Actor
  /** One sentence for a person, without secrets. */
  readonly summary: string
  /** The kind of the resource, in the singular, such as `run`. */
  readonly resourceType: string
  readonly resourceId: string
  readonly payload: FeedPayload
  readonly createdAt: DateTime.Utc
}

/**
 * An act that can come by the thousand: all that is tallied under one `key` within a minute is one entry, whose payload says in
 * `count` how often it came.
 */
export interface ActivityTally {
  readonly entry: ActivityRecord
  /** The key under which acts of an organization count as the same, such as `api_key.refused <id> revoked`. */
  readonly key: string
  readonly count: number
}

/** The kinds of notices. */
export const NotificationType = Schema.Literals([
  "run.failed",
  "run.paused",
  "credential.revoked",
  "workspace.cap_reached",
  "workspace.cap_near",
  "webhook.endpoint_disabled",
  "webhook.delivery_dead",
  "api_key.expiring"
])
export type NotificationType = typeof NotificationType.Type

/** A notice: something that a person should know. */
export interface NotificationRecord {
  readonly id: NotificationId
  readonly organizationId: OrganizationId
  /** The workspace that it is posted to; null posts it to every workspace of the organization. */
  readonly workspaceId: WorkspaceId | null
  readonly type: NotificationType
  /** The id of the resource that it is about, by which such notices are counted together and closed; null where they are not. */
  readonly about: string | null
  readonly title: string
  readonly body: string
  readonly payload: FeedPayload
  readonly createdAt: DateTime.Utc
}

/** Says that a resource needs nobody any more: its workspace's notices about it so far count as read, under the closing's title. */
export interface NoticeClosing {
  readonly id: NotificationId
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
  readonly about: string
  /** Their title from then on, such as that a question was answered. */
  readonly title: string
}
