import { Effect } from "effect"
import { AgentNotFound } from "../../Agent.ts"
import { AgentRunner } from "../../ports/AgentRunner.ts"
import { AgentStore } from "../../ports/AgentStore.ts"
import type { Schedule } from "../../Schedule.ts"
import { commandOf } from "../../schedules/commandOf.ts"
import { settingsOf } from "../../TriggerRun.ts"

/**
 * Fails as triggering a run of the schedule would: with AgentNotFound, RecipeUnknown, InputSchemaMismatch or AgentFlawed. The agent
 * is held until the transaction ends, so that it is not archived meanwhile.
 */
export const demandRun = Effect.fnUntraced(function* (schedule: Schedule) {
  const agents = yield* AgentStore
  const runner = yield* AgentRunner
  const { agentId: id, workspaceId } = schedule
  const [agent] = yield* agents.holdLive([{ workspaceId, id }], "wait")
  if (agent === undefined) return yield* new AgentNotFound()
  const settings = Effect.fromResult(settingsOf(commandOf(schedule, schedule.createdAt), agent, runner))
  // The runs of schedules override nothing.
  yield* Effect.catchTag(settings, "OverrideRefused", Effect.die)
})
