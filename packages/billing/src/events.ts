/** The events that billing publishes to an organization's endpoints. Spec: Events. */
import { defineEvent, Uuid, WorkspaceId } from "@agent-platform/kernel"
import { Schema } from "effect"

/** What workspace.cap_reached says: whose cap, how far it is, and the run whose call was the one. */
export const CapReachedData = Schema.Struct({
  workspace_id: WorkspaceId,
  /** The month, as in `2026-11`, in the workspace's time zone. */
  period: Schema.String,
  period_start: Schema.String,
  period_end: Schema.String,
  cap_usd: Schema.String,
  spent_usd: Schema.String,
  reserved_usd: Schema.String,
  currency: Schema.Literal("USD"),
  run_id: Uuid,
  reached_at: Schema.String
})

export const workspaceCapReached = defineEvent("workspace.cap_reached", CapReachedData)

/** Every event kind of this package. */
export const events = [workspaceCapReached] as const
