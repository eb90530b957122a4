import { type OrganizationId, Uuid, type WorkspaceId } from "@agent-platform/kernel"
import { type DateTime, Schema } from "effect"

export const SessionId = Uuid.pipe(Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

/** What runs belong to. Its runs execute one at a time, in the order in which they were triggered. */
export interface Session {
  readonly id: SessionId
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
  readonly createdAt: DateTime.Utc
}

/** No such session in the caller's workspace. */
export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", {}) {}

/** The session has an unfinished run, and the caller asked not to queue behind it. */
export class SessionBusy extends Schema.TaggedError<SessionBusy>()("SessionBusy", {}) {}
