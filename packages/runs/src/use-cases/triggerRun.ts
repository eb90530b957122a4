import { freshId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { Effect, Result } from "effect"
import { type Agent, AgentNotFound } from "../Agent.ts"
import { acceptRun } from "../acceptance/acceptRun.ts"
import { placeInSession } from "../acceptance/ifBusy.ts"
import { NeedsOwnTransaction, type RunPlan, type Sharing } from "../acceptance/Trigger.ts"
import { AgentRunner } from "../ports/AgentRunner.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { SessionId, SessionNotFound } from "../Session.ts"
import { settingsOf, type TriggerRun, triggerOf } from "../TriggerRun.ts"
import { demandSchemas } from "./demandSchemas.ts"

/** Most steps for checking one input in a batch, in which others wait for it: a millisecond of work. */
const SHARED_CHECK_STEPS_MAX = 20_000

/**
 * The run's settings by its agent. In a batch an agent that is being changed, and an input whose check takes long, are left to a
 * transaction of the trigger's own.
 */
const resolveSettings = Effect.fnUntraced(function* (command: TriggerRun, agent: Agent | undefined, sharing: Sharing) {
  const runner = yield* AgentRunner
  const isShared = sharing === "shared"
  if (agent === undefined) return yield* isShared ? new NeedsOwnTransaction() : new AgentNotFound()
  const settings = settingsOf(command, agent, runner, isShared ? SHARED_CHECK_STEPS_MAX : undefined)
  if (isShared && Result.isFailure(settings) && settings.failure._tag === "InputSchemaMismatch") {
    return yield* new NeedsOwnTransaction()
  }
  return { agent, settings: yield* Effect.fromResult(settings) }
})

/** The session that the run is to be in: a new one, or one that is held from here on. */
const joinSession = Effect.fnUntraced(function* ({ caller, ifBusy, sessionId }: TriggerRun) {
  if (sessionId === undefined) return { sessionId: yield* freshId(SessionId), beginsSession: true, interrupts: false }
  const sessions = yield* SessionStore
  const session = yield* sessions.hold(caller.workspaceId, sessionId)
  if (session === undefined) return yield* new SessionNotFound()
  return { sessionId: session.id, beginsSession: false, ...(yield* placeInSession(session.id, ifBusy)) }
})

/** The plan of the command's run, with the agent that it names if that exists. */
export const planOf = Effect.fnUntraced(function* (command: TriggerRun, agent: Agent | undefined, sharing: Sharing) {
  return {
    ...(yield* resolveSettings(command, agent, sharing)),
    ...(yield* joinSession(command)),
    trigger: triggerOf(command),
    resumesRunId: null,
    events: [],
    content: command.content ?? [],
    action: "run.triggered"
  } satisfies RunPlan
})

/**
 * Accepts a run: the run, the first event of its log and its activity entry, in one transaction, which it shares with others
 * where it begins a session. Fails with AgentNotFound, RecipeUnknown, InputSchemaMismatch, OverrideRefused, AgentFlawed,
 * SessionNotFound, SessionBusy, CapReached or QueueFull. Spec: Runs and sessions.
 */
export const triggerRun = useCase("runs.triggerRun")(function* (command: TriggerRun) {
  const { agentId, caller, content = [], idempotency, overrides, sessionId } = command
  yield* demandSchemas({ modelSettings: overrides })
  return yield* acceptRun({
    caller,
    idempotency,
    agentId,
    // A trigger that waits for a locked session, or brings much to write, must not make others wait.
    isShareable: sessionId === undefined && content.length === 0,
    plan: (agent, sharing) => planOf(command, agent, sharing)
  })
})
