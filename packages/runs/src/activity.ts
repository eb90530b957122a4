/** The entries of the activity feed about agents, runs and sessions. */
import {
  type ActivityRecord,
  type Actor,
  type FeedPayload,
  recordActivity,
  type WorkspaceCaller
} from "@agent-platform/kernel"
import type { Agent } from "./Agent.ts"
import type { Run } from "./Run.ts"
import { finalEventType } from "./RunEvent.ts"

interface Act extends Pick<ActivityRecord, "resourceId" | "payload"> {
  readonly resourceType: "agent" | "run" | "schedule" | "session"
  readonly verb: string
  /** The end of the sentence that begins with the caller. */
  readonly words: string
}

/** An act of the caller on something of its workspace. */
export const actOf = ({ actor, organizationId, workspaceId }: WorkspaceCaller, { verb, words, ...about }: Act) => ({
  organizationId,
  workspaceId,
  action: `${about.resourceType}.${verb}`,
  actor,
  summary: `${actor.label} ${words}`,
  ...about
})

/** The acts on an agent, and their words. */
const WORDS = {
  created: "created",
  updated: "changed",
  deleted: "deleted",
  webhook_created: "created the inbound URL of",
  webhook_deleted: "deleted the inbound URL of"
} as const

/** Records in the caller's transaction that it did this to the agent. */
export const recordAgentAct = (
  caller: WorkspaceCaller,
  verb: keyof typeof WORDS,
  { id: resourceId, name }: Pick<Agent, "id" | "name">,
  payload: FeedPayload
) => {
  const words = `${WORDS[verb]} the agent '${name}'`
  return recordActivity(actOf(caller, { resourceType: "agent", resourceId, verb, words, payload }))
}

/** The actor where a run ends without its agent's doing: it expired, or its worker was lost. */
const SYSTEM: Actor = { type: "system", id: "runs", label: "Runs" }

/** The ends of runs, and their words. A cancelled run has none: its cancellation has an entry already, by its caller. */
const ENDS = {
  "run.succeeded": { verb: "succeeded", words: "finished a run" },
  "run.paused": { verb: "paused", words: "paused a run on a question" },
  "run.failed": { verb: "failed", words: "failed a run" },
  "run.cancelled": undefined
} as const

/**
 * The entry of a run that ended, under its agent's name where a worker executed it to its end. However many tools the agent
 * called, the run has this one entry, which counts them in `tool_calls`.
 */
export const endActivity = (run: Run, agent: Agent | undefined, toolCalls: number) => {
  const end = ENDS[finalEventType(run)]
  if (end === undefined) return undefined
  const { agentId, errorCode, id: resourceId, organizationId, sessionId, workspaceId } = run
  const actor: Actor = agent === undefined ? SYSTEM : { type: "agent", id: agent.id, label: agent.name }
  const about = { session_id: sessionId, agent_id: agentId, error_code: errorCode }
  const payload = agent === undefined ? about : { ...about, tool_calls: toolCalls }
  return actOf({ actor, organizationId, workspaceId }, { resourceType: "run", resourceId, ...end, payload })
}
