/** Runs at their beginning: their plan, and the rows written with them. */
import type { ActivityRecord, WorkspaceCaller } from "@agent-platform/kernel"
import { DateTime } from "effect"
import type { Agent } from "./Agent.ts"
import { lowerCap, NO_USAGE, type Run, type RunId, type RunTrigger } from "./Run.ts"
import type { Session, SessionId } from "./Session.ts"
import { storable, storableRecord, storableText } from "./storable.ts"

/** The settings of a run. */
export interface RunSettings
  extends Pick<
    Run,
    "recipe" | "prompt" | "input" | "metadata" | "tags" | "priority" | "runAt" | "maxDurationSeconds" | "maxAttempts"
  > {
  readonly maxCostUsd: string | null
  /** How long after it was due it may still begin. */
  readonly ttlSeconds: number | null
}

/** The parts of a new run. */
export interface NewRun {
  readonly id: RunId
  readonly sessionId: SessionId
  readonly caller: WorkspaceCaller
  readonly agent: Agent
  readonly settings: RunSettings
  readonly trigger: RunTrigger
  readonly resumesRunId: RunId | null
  readonly createdAt: DateTime.Utc
  /** The `traceparent` that it belongs to. */
  readonly trace: string | null
}

/** The run that these make. It may cost what its agent's runs may at most, or less. */
export const newRun = (given: NewRun): Run => {
  const { agent, caller, createdAt, id, resumesRunId, sessionId, settings, trace, trigger } = given
  const { maxAttempts, maxCostUsd, maxDurationSeconds, priority, prompt, recipe, runAt, ttlSeconds } = settings
  return {
    id,
    organizationId: caller.organizationId,
    workspaceId: caller.workspaceId,
    sessionId,
    agentId: agent.id,
    recipe,
    status: "queued",
    paused: false,
    prompt: prompt === null ? null : storableText(prompt),
    input: storable(settings.input),
    message: null,
    interrupt: null,
    interruptTruncated: false,
    result: null,
    error: null,
    errorCode: null,
    attempt: 0,
    maxAttempts,
    maxDurationSeconds,
    maxCostUsd: lowerCap(maxCostUsd, agent.maxCostUsd),
    priority,
    trigger,
    resumesRunId,
    resumedByRunId: null,
    questionCancelledAt: null,
    createdAt,
    runAt,
    expiresAt: ttlSeconds === null ? null : DateTime.add(runAt ?? createdAt, { seconds: ttlSeconds }),
    startedAt: null,
    finishedAt: null,
    cancelRequestedAt: null,
    costUsd: "0.00",
    usage: NO_USAGE,
    metadata: storableRecord(settings.metadata),
    tags: settings.tags.map(storableText),
    trace
  }
}

/** The session that begins with a run. */
export const sessionBegunBy = ({ createdAt, organizationId, sessionId, workspaceId }: Run): Session => ({
  id: sessionId,
  organizationId,
  workspaceId,
  createdAt
})

/** The first entry in the log of every accepted run. */
export const RUN_QUEUED = { type: "run.queued", data: {} } as const

/** The actions that make a run. */
export type AcceptanceAction = "run.triggered" | "session.replied"

/** The acceptance's entry in the activity feed. */
export const acceptanceActivity = (
  action: AcceptanceAction,
  { actor }: WorkspaceCaller,
  agent: Agent,
  { id, organizationId, sessionId, workspaceId }: Run
): Omit<ActivityRecord, "id" | "createdAt"> => {
  const isReply = action === "session.replied"
  return {
    organizationId,
    workspaceId,
    action,
    actor,
    summary: isReply
      ? `${actor.label} replied to the agent '${agent.name}'`
      : `${actor.label} triggered a run of the agent '${agent.name}'`,
    resourceType: isReply ? "session" : "run",
    resourceId: isReply ? sessionId : id,
    payload: { run_id: id, session_id: sessionId, agent_id: agent.id }
  }
}
