/** A new run: the parts that it is made of, and what is written with it. */
import type { WorkspaceCaller } from "@agent-platform/kernel"
import { DateTime, type Schema } from "effect"
import type { Agent } from "./Agent.ts"
import { actOf } from "./activity.ts"
import type { RunOverrides } from "./ModelSettings.ts"
import { lowerCap, NO_USAGE, type Run } from "./Run.ts"
import type { Session } from "./Session.ts"
import { storable, storableRecord, storableText } from "./storable.ts"

/** The settings of a run. */
export interface RunSettings
  extends Pick<
    Run,
    | "recipe"
    | "prompt"
    | "input"
    | "overrides"
    | "metadata"
    | "tags"
    | "priority"
    | "runAt"
    | "maxDurationSeconds"
    | "maxAttempts"
  > {
  readonly maxCostUsd: string | null
  /** The run fails as `expired` if it has not begun so many seconds after it could have; null for no limit. */
  readonly ttlSeconds: number | null
}

/** The parts of a new run. */
export interface NewRun extends Pick<Run, "id" | "sessionId" | "trigger" | "resumesRunId" | "createdAt" | "trace"> {
  readonly caller: WorkspaceCaller
  readonly agent: Agent
  readonly settings: RunSettings
}

const storableOverrides = (overrides: RunOverrides | null): RunOverrides | null =>
  storable(overrides as Schema.Json) as RunOverrides | null

/** A queued run made of these parts. Its cap is the lower of its own and its agent's. */
export const newRun = (given: NewRun): Run => {
  const { agent, caller, createdAt, id, resumesRunId, sessionId, settings, trace, trigger } = given
  const { maxCostUsd, prompt, ttlSeconds, ...others } = settings
  return {
    id,
    organizationId: caller.organizationId,
    workspaceId: caller.workspaceId,
    sessionId,
    agentId: agent.id,
    ...others,
    status: "queued",
    agentVersion: null,
    model: null,
    paused: false,
    prompt: prompt === null ? null : storableText(prompt),
    input: storable(settings.input),
    overrides: storableOverrides(settings.overrides),
    message: null,
    interrupt: null,
    interruptTruncated: false,
    result: null,
    error: null,
    errorCode: null,
    finishReason: null,
    attempt: 0,
    handBacks: 0,
    maxCostUsd: lowerCap(maxCostUsd, agent.maxCostUsd),
    trigger,
    resumesRunId,
    resumedByRunId: null,
    questionCancelledAt: null,
    createdAt,
    expiresAt: ttlSeconds === null ? null : DateTime.add(settings.runAt ?? createdAt, { seconds: ttlSeconds }),
    startedAt: null,
    callbackUntil: null,
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
export const acceptanceActivity = (action: AcceptanceAction, caller: WorkspaceCaller, agent: Agent, run: Run) => {
  const whose = `the agent '${agent.name}'`
  const payload = { run_id: run.id, session_id: run.sessionId, agent_id: agent.id }
  if (action === "session.replied") {
    const words = `replied to ${whose}`
    return actOf(caller, { resourceType: "session", resourceId: run.sessionId, verb: "replied", words, payload })
  }
  const words = `triggered a run of ${whose}`
  return actOf(caller, { resourceType: "run", resourceId: run.id, verb: "triggered", words, payload })
}
