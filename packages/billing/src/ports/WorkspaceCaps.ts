import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { Span } from "../BillingMonth.ts"

/** The cap of a workspace, and the month in which it is. */
export interface WorkspaceCap {
  /** In USD as a decimal; null for no cap. */
  readonly monthlyCapUsd: string | null
  /** The workspace's month at the time that was asked for. */
  readonly period: Span
  /** The month's name in the workspace's zone, as in `2026-11`. */
  readonly month: string
}

/** Looks up the caps of workspaces. Implemented by the domain that keeps the workspaces. */
export class WorkspaceCaps extends Context.Service<
  WorkspaceCaps,
  {
    /** The cap as it is stored now: a change holds for the very next call. Dies when there is no such workspace. */
    readonly read: (
      organizationId: OrganizationId,
      workspaceId: WorkspaceId,
      at: DateTime.Utc
    ) => Effect.Effect<WorkspaceCap>
  }
>()("@agent-platform/billing/WorkspaceCaps") {}
