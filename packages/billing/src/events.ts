/** The events that billing publishes to an organization's endpoints. Spec: Events. */
import { defineEvent, EventTime, EventUsd, SAMPLE_ID, Uuid, WorkspaceId } from "@agent-platform/kernel"
import { DateTime, Schema } from "effect"

/** The data of workspace.cap_reached and workspace.cap_near: whose cap, how far it is, and the run that came there. */
export const CapReachedData = Schema.Struct({
  workspace_id: WorkspaceId.annotateKey({ description: "The workspace whose cap it is" }),
  period: Schema.String.annotate({ format: "month" }).annotateKey({
    description: "The month in the workspace's time zone, as in 2026-11"
  }),
  period_start: EventTime.annotateKey({ description: "When it begins, as ISO 8601 in UTC" }),
  period_end: EventTime.annotateKey({ description: "When it ends" }),
  cap_usd: EventUsd.annotateKey({ description: "The cap, as a decimal" }),
  spent_usd: EventUsd.annotateKey({ description: "What is spent" }),
  reserved_usd: EventUsd.annotateKey({ description: "What is held back for calls under way" }),
  currency: Schema.Literal("USD").annotateKey({ description: "Of the three" }),
  run_id: Uuid.annotateKey({ description: "The run whose call was the one" }),
  reached_at: EventTime.annotateKey({ description: "When, as ISO 8601 in UTC" })
})

const sampleOf = (at: DateTime.Utc, spentUsd: string): typeof CapReachedData.Encoded => {
  const start = DateTime.startOf(at, "month")
  return {
    workspace_id: SAMPLE_ID,
    period: DateTime.formatIso(start).slice(0, 7),
    period_start: DateTime.formatIso(start),
    period_end: DateTime.formatIso(DateTime.add(start, { months: 1 })),
    cap_usd: "100.00",
    spent_usd: spentUsd,
    reserved_usd: "0.00",
    currency: "USD",
    run_id: SAMPLE_ID,
    reached_at: DateTime.formatIso(at)
  }
}

export const workspaceCapReached = defineEvent({
  type: "workspace.cap_reached",
  when:
    "A workspace has spent its cap of the month, or a model call was refused for it ([caps](billing.md#caps)). Once a " +
    "workspace and month",
  data: CapReachedData,
  sample: (at) => sampleOf(at, "100.00")
})

export const workspaceCapNear = defineEvent({
  type: "workspace.cap_near",
  when: "A workspace has spent four fifths of its cap of the month, and less than the cap. Once a workspace and month",
  byName: true,
  data: CapReachedData,
  sample: (at) => sampleOf(at, "80.00")
})

/** Every kind of event that this package publishes. */
export const billingEventKinds = [workspaceCapReached, workspaceCapNear] as const
