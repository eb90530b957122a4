import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { BillingMonth } from "../BillingMonth.ts"

/** The months of a workspace by its time zone, and by the next one where a change is planned. */
export interface WorkspaceCalendar {
  /** A text that is the same for calendars with the same zones. */
  readonly zones: string
  /** The month that a time lies in. */
  readonly monthAt: (at: DateTime.Utc) => BillingMonth
  /** The month of a name such as `2026-11`. */
  readonly monthNamed: (name: string) => BillingMonth
}

/** A workspace that a reading is about. */
export interface ReadWorkspace {
  readonly workspaceId: WorkspaceId
  readonly name: string
  readonly calendar: WorkspaceCalendar
}

/** The calendars of workspaces, which another domain has. */
export class WorkspaceCalendars extends Context.Service<
  WorkspaceCalendars,
  {
    /** The workspace as it is now; undefined when the organization has none of this id. */
    readonly read: (
      organizationId: OrganizationId,
      workspaceId: WorkspaceId
    ) => Effect.Effect<ReadWorkspace | undefined>
    /** Every workspace of the organization. */
    readonly all: (organizationId: OrganizationId) => Effect.Effect<ReadonlyArray<ReadWorkspace>>
  }
>()("@agent-platform/billing/WorkspaceCalendars") {}
