import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { BillingMonth } from "../BillingMonth.ts"

/** The months of a workspace by the zones that it has now and will have. */
export interface WorkspaceCalendar {
  /** The month that a time lies in. */
  readonly monthAt: (at: DateTime.Utc) => BillingMonth
  /** The month of a name such as `2026-11`. */
  readonly monthNamed: (name: string) => BillingMonth
}

/** The calendars of workspaces. Another domain has the workspaces and their zones. */
export class WorkspaceCalendars extends Context.Service<
  WorkspaceCalendars,
  {
    /** The workspace's calendar as it is now; undefined when the organization has no such workspace. */
    readonly read: (
      organizationId: OrganizationId,
      workspaceId: WorkspaceId
    ) => Effect.Effect<WorkspaceCalendar | undefined>
  }
>()("@agent-platform/billing/WorkspaceCalendars") {}
