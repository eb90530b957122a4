import { defineJob, type JobKind, OrganizationId } from "@agent-platform/kernel"
import { Schema } from "effect"
import { ReplayId } from "./Replay.ts"

/** The topic that is raised when deliveries have come due by an act, such as a replay, and not by the clock. */
export const deliveriesDue = "webhooks.deliveries_due"

/** How long a replay that has handed its job back waits until it is taken up again. */
const PAUSE_SECONDS = 2

/** Send a range of deliveries again. */
export const replayRange: JobKind<{ readonly organization_id: OrganizationId; readonly replay_id: ReplayId }> =
  defineJob("webhooks.replay", Schema.Struct({ organization_id: OrganizationId, replay_id: ReplayId }), {
    retrySeconds: PAUSE_SECONDS
  })
