import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { DateTime, Schema } from "effect"

/** An organization holds workspaces, for instance one per end customer. */
export interface Organization {
  readonly id: OrganizationId
  readonly name: string
  readonly createdAt: DateTime.Utc
}

/** A time zone that will hold from the beginning of a month on. */
export interface NextTimezone {
  readonly timezone: string
  readonly from: DateTime.Utc
}

/** A workspace of an organization. Every resource belongs to exactly one workspace. */
export interface Workspace {
  readonly id: WorkspaceId
  readonly organizationId: OrganizationId
  readonly name: string
  /** An IANA time zone; days and months of usage follow it until `nextTimezone` begins. */
  readonly timezone: string
  /** The zone that was chosen for later months; null when none was. */
  readonly nextTimezone: NextTimezone | null
  /** The monthly cap on spending, in USD as a decimal; null for no cap. */
  readonly monthlyCapUsd: string | null
  /** Whether model calls may be made with the platform's own provider keys. */
  readonly allowPlatformKeys: boolean
  /** For how many days its runs are kept, if that is shorter than the deployment's own retention; null for the deployment's. */
  readonly retentionDays: number | null
  readonly createdAt: DateTime.Utc
}

/** The shortest and the longest retention, in days: a day and a hundred years. */
export const RETENTION_DAYS_MIN = 1
export const RETENTION_DAYS_MAX = 36_500

/** A workspace, which may be one that is being erased or was erased. */
export interface KeptWorkspace extends Workspace {
  /** Since when it is being erased; null for one that is not. */
  readonly closedAt: DateTime.Utc | null
}

/** No such organization. */
export class OrganizationNotFound extends Schema.TaggedError<OrganizationNotFound>()("OrganizationNotFound", {}) {}

/** No such workspace in the caller's organization. */
export class WorkspaceNotFound extends Schema.TaggedError<WorkspaceNotFound>()("WorkspaceNotFound", {}) {}

/** The IANA database has no time zone of this name. */
export class TimezoneUnknown extends Schema.TaggedError<TimezoneUnknown>()("TimezoneUnknown", {
  timezone: Schema.String
}) {
  override get message() {
    return `There is no time zone '${this.timezone}'`
  }
}

/** The time zone that holds in a workspace at `now`. */
export const timezoneAt = ({ nextTimezone, timezone }: Workspace, now: DateTime.Utc): string =>
  nextTimezone !== null && DateTime.isLessThanOrEqualTo(nextTimezone.from, now) ? nextTimezone.timezone : timezone

/** The time zone that was chosen and does not hold at `now` yet; null when there is none. */
export const nextTimezoneAt = ({ nextTimezone }: Workspace, now: DateTime.Utc): NextTimezone | null =>
  nextTimezone !== null && DateTime.isGreaterThan(nextTimezone.from, now) ? nextTimezone : null
