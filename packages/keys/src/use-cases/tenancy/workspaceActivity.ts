import { type Actor, type FeedPayload, recordActivity } from "@agent-platform/kernel"
import type { Workspace } from "../../Workspace.ts"

const WORDS = { created: "created", updated: "changed", cap_changed: "changed the monthly cap of" }

/** Records an act on a workspace, in its feed. */
export const recordWorkspace = (
  verb: "created" | "updated" | "cap_changed",
  actor: Actor,
  workspace: Workspace,
  payload: FeedPayload = {
    name: workspace.name,
    timezone: workspace.timezone,
    monthly_cap_usd: workspace.monthlyCapUsd
  }
) =>
  recordActivity({
    organizationId: workspace.organizationId,
    workspaceId: workspace.id,
    action: `workspace.${verb}`,
    actor,
    summary: `${actor.label} ${WORDS[verb]} the workspace '${workspace.name}'`,
    resourceType: "workspace",
    resourceId: workspace.id,
    payload
  })
