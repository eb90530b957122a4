import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { type DateTime, Schema } from "effect"

/** An organization holds workspaces, for instance one per end customer. */
export interface Organization {
  readonly id: OrganizationId
  readonly name: string
  readonly createdAt: DateTime.Utc
}

/** Every resource belongs to exactly one workspace. */
export interface Workspace {
  readonly id: WorkspaceId
  readonly organizationId: OrganizationId
  readonly name: string
  /** An IANA time zone; days and months of usage follow it. */
  readonly timezone: string
  /** What the workspace may spend in a month, in USD as a decimal; null for no cap. */
  readonly monthlyCapUsd: string | null
  /** Whether model calls may be made with the platform's own provider keys. */
  readonly allowPlatformKeys: boolean
  readonly createdAt: DateTime.Utc
}

/** No such workspace in the caller's organization. */
export class WorkspaceNotFound extends Schema.TaggedError<WorkspaceNotFound>()("WorkspaceNotFound", {}) {}

/** The name is not that of a time zone in the IANA database. */
export class TimezoneUnknown extends Schema.TaggedError<TimezoneUnknown>()("TimezoneUnknown", {
  timezone: Schema.String
}) {
  override get message() {
    return `There is no time zone '${this.timezone}'`
  }
}
