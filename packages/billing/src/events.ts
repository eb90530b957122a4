/** The events that billing publishes to an organization's endpoints. Spec: Events. */
import { defineEvent, SAMPLE_ID, Uuid, WorkspaceId } from "@agent-platform/kernel"
import { DateTime, Schema } from "effect"

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

export const workspaceCapReached = defineEvent({
  type: "workspace.cap_reached",
  when:
    "A workspace has spent its cap of the month, or a model call was refused for it ([caps](billing.md#caps)). Once a " +
    "workspace and month",
  data: CapReachedData,
  sample: (at) => {
    const start = DateTime.startOf(at, "month")
    return {
      workspace_id: SAMPLE_ID,
      period: DateTime.formatIso(start).slice(0, 7),
      period_start: DateTime.formatIso(start),
      period_end: DateTime.formatIso(DateTime.add(start, { months: 1 })),
      cap_usd: "100.00",
      spent_usd: "100.00",
      reserved_usd: "0.00",
      currency: "USD",
      run_id: SAMPLE_ID,
      reached_at: DateTime.formatIso(at)
    }
  }
})

/** Every kind of event that this package publishes. */
export const billingEventKinds = [workspaceCapReached] as const
