import type { WorkspaceCaller } from "@agent-platform/kernel"
import { aCaller, anId } from "@agent-platform/kernel/testing"
import { DateTime, Effect } from "effect"
import { Agent, AgentId } from "../Agent.ts"
import { newRun } from "../NewRun.ts"
import type { TurnCheckpoint } from "../ports/AgentRunner.ts"
import { type Run, RunId } from "../Run.ts"
import { type Schedule, ScheduleId } from "../Schedule.ts"
import { type Session, SessionId } from "../Session.ts"
import type { TriggerRun } from "../TriggerRun.ts"

/** The time at which the builders' agents, sessions and runs were made. */
export const BUILT_AT = DateTime.makeUnsafe("2026-11-21T05:15:00.123Z")

/** A text in the form of a SHA-256 in hex. It differs for texts that differ in their first 32 bytes. */
export const hashOf = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .padEnd(64, "0")
    .slice(0, 64)

/** A demo agent of the workspace, which is its own unless one is given. */
export const anAgent = (
  caller: Pick<WorkspaceCaller, "organizationId" | "workspaceId"> = aCaller(),
  override: Partial<Agent> = {}
): Agent => {
  const { organizationId, workspaceId } = caller
  const identity = { id: anId(AgentId), organizationId, workspaceId }
  return { ...Agent.created(identity, { name: "Demo", recipe: "demo" }, BUILT_AT), ...override }
}

/** A session of the agent's workspace. */
export const aSession = (agent: Agent, override: Partial<Session> = {}): Session => ({
  id: anId(SessionId),
  organizationId: agent.organizationId,
  workspaceId: agent.workspaceId,
  createdAt: BUILT_AT,
  ...override
})

/** A queued run of the agent in the session. */
export const aRun = (agent: Agent, session: Session, override: Partial<Run> = {}): Run => ({
  ...newRun({
    id: anId(RunId),
    sessionId: session.id,
    caller: { ...aCaller(), organizationId: agent.organizationId, workspaceId: agent.workspaceId },
    agent,
    settings: {
      recipe: agent.recipe,
      prompt: "Hello",
      input: { steps: [{ say: "hi" }] },
      overrides: null,
      metadata: { order: "42" },
      tags: ["nightly"],
      priority: 0,
      runAt: null,
      ttlSeconds: null,
      maxDurationSeconds: 3600,
      maxAttempts: 1,
      maxCostUsd: null
    },
    trigger: { type: "api", id: null },
    resumesRunId: null,
    createdAt: BUILT_AT,
    trace: null
  }),
  ...override
})

/** An enabled schedule of the agent, which is due an hour after it was made. */
export const aSchedule = (agent: Agent, override: Partial<Schedule> = {}): Schedule => ({
  id: anId(ScheduleId),
  organizationId: agent.organizationId,
  workspaceId: agent.workspaceId,
  agentId: agent.id,
  name: "Nightly",
  cron: "0 3 * * *",
  timezone: "Europe/Berlin",
  prompt: "Hello",
  input: { steps: [{ say: "hi" }] },
  metadata: { order: "42" },
  tags: ["nightly"],
  missed: "skip",
  enabled: true,
  nextRunAt: DateTime.add(BUILT_AT, { hours: 1 }),
  settledUntil: null,
  lastRunId: null,
  lastRunAt: null,
  lastError: null,
  version: 1,
  createdAt: BUILT_AT,
  updatedAt: BUILT_AT,
  ...override
})

/** The checkpoint of a turn that has none and writes none. */
export const NO_CHECKPOINT: TurnCheckpoint = {
  load: Effect.undefined,
  ofQuestion: Effect.undefined,
  ofSession: Effect.undefined,
  save: () => Effect.void,
  keep: () => Effect.void
}

/** The command that triggers a run of the agent, with every setting at its default. */
export const aTrigger = (caller: WorkspaceCaller, agent: Agent, override: Partial<TriggerRun> = {}): TriggerRun => ({
  caller,
  agentId: agent.id,
  input: {},
  ...override
})
