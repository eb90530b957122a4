import { atomic, DELETED, Overrides, type WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import { Agent, type AgentId, AgentNotFound, isLive } from "../Agent.ts"
import { recordAgentAct } from "../activity.ts"
import { InboundWebhook, isActive } from "../InboundWebhook.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import { InboundWebhookStore } from "../ports/InboundWebhookStore.ts"
import { ScheduleStore } from "../ports/ScheduleStore.ts"
import { AGENT_ARCHIVED, Schedule } from "../Schedule.ts"

/**
 * Archives an agent for good: no run of it can be triggered any more, its inbound URL is gone and its schedules are switched off at
 * once, while its past runs stay, and those that are queued are still executed. A repetition returns the same. Fails with
 * AgentNotFound.
 */
export const archiveAgent = useCase("runs.archiveAgent")(function* (command: {
  readonly caller: WorkspaceCaller
  readonly agentId: AgentId
}) {
  const { agentId, caller } = command
  const agents = yield* AgentStore
  const webhooks = yield* InboundWebhookStore
  const schedules = yield* ScheduleStore
  // Schedules and overrides are held before the agent, as when runs of schedules are made and templates are spread: another order
  // could deadlock.
  const enabled = yield* schedules.holdOfAgent(caller.workspaceId, agentId)
  const noteOverrides = yield* Overrides.use((overrides) => overrides.hold(caller.workspaceId, agentId))
  const before = yield* agents.hold(caller.workspaceId, agentId)
  if (before === undefined) return yield* new AgentNotFound()
  if (!isLive(before)) return before
  const now = yield* DateTime.now
  const after = Agent.archived(before, now)
  yield* agents.update(after)
  yield* noteOverrides([DELETED])
  const [webhook] = yield* webhooks.ofAgents(caller.workspaceId, [agentId])
  if (webhook !== undefined && isActive(webhook)) yield* webhooks.put(InboundWebhook.deleted(webhook, now))
  yield* schedules.update(enabled.map((schedule) => Schedule.ended(schedule, AGENT_ARCHIVED, now)))
  yield* recordAgentAct(caller, "deleted", after, { name: after.name })
  return after
}, atomic)
