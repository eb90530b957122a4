import {
  freshId,
  type IdempotencyRequest,
  idempotently,
  UnitOfWork,
  type WorkspaceCaller
} from "@agent-platform/kernel"
import { type DateTime, Effect, type Schema } from "effect"
import { type AgentId, AgentNotFound, offers, RecipeUnknown } from "../Agent.ts"
import { mismatchOf } from "../jsonSchema.ts"
import { AgentRunner } from "../ports/AgentRunner.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import { RunStore } from "../ports/RunStore.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { DURATION_SECONDS_DEFAULT, InputSchemaMismatch, RunId, RunNotFound, type RunTrigger } from "../Run.ts"
import { SessionId, SessionNotFound } from "../Session.ts"
import { acceptRun, admitToQueue, type IfBusy, makeWay, type RunSettings } from "./acceptRun.ts"

export interface TriggerRun {
  readonly caller: WorkspaceCaller
  readonly agentId: AgentId
  /** The agent's own unless named. */
  readonly recipe?: string | undefined
  /** A new session unless named. */
  readonly sessionId?: SessionId | undefined
  /** What the caller says to the agent. */
  readonly prompt?: string | null | undefined
  readonly input?: Schema.Json | undefined
  readonly metadata?: Readonly<Record<string, string>> | undefined
  readonly tags?: ReadonlyArray<string> | undefined
  /** Of the workspace's runs that are due, a higher priority goes first; 0 unless named. */
  readonly priority?: number | undefined
  readonly runAt?: DateTime.Utc | null | undefined
  /** Failed as `expired` if it has not begun so long after it could have. */
  readonly ttlSeconds?: number | null | undefined
  /** An hour unless named. */
  readonly maxDurationSeconds?: number | undefined
  /** 1 unless named: a run whose worker is lost is not begun again. */
  readonly maxAttempts?: number | undefined
  /** In USD, as a decimal. */
  readonly maxCostUsd?: string | null | undefined
  /** What to do when the session has an unfinished run; waiting behind it unless named. */
  readonly ifBusy?: IfBusy | undefined
  /** What sets it going; a call of the API unless named. */
  readonly trigger?: RunTrigger | undefined
  readonly idempotency?: IdempotencyRequest | undefined
}

const settingsOf = (command: TriggerRun, recipe: string): RunSettings => ({
  recipe,
  prompt: command.prompt ?? null,
  input: command.input ?? null,
  metadata: command.metadata ?? {},
  tags: command.tags ?? [],
  priority: command.priority ?? 0,
  runAt: command.runAt ?? null,
  ttlSeconds: command.ttlSeconds ?? null,
  maxDurationSeconds: command.maxDurationSeconds ?? DURATION_SECONDS_DEFAULT,
  maxAttempts: command.maxAttempts ?? 1,
  maxCostUsd: command.maxCostUsd ?? null
})

/**
 * Accepts a run: the run, the first event of its log and its activity entry, in one transaction. Fails with
 * AgentNotFound, RecipeUnknown, InputSchemaMismatch, SessionNotFound, SessionBusy, CapReached or QueueFull. Spec: Runs and
 * sessions.
 */
export const triggerRun = Effect.fn("runs.triggerRun")(function* (command: TriggerRun) {
  const { caller } = command
  const { workspaceId } = caller
  const agents = yield* AgentStore
  const sessions = yield* SessionStore
  const runs = yield* RunStore
  const unit = yield* UnitOfWork
  const { recipes } = yield* AgentRunner

  const joinSession = Effect.gen(function* () {
    if (command.sessionId === undefined) {
      return { id: yield* freshId(SessionId), isNew: true }
    }
    const session = yield* sessions.hold(workspaceId, command.sessionId)
    if (session === undefined) return yield* new SessionNotFound()
    yield* makeWay(caller, session.id, command.ifBusy ?? "enqueue")
    return { id: session.id, isNew: false }
  })

  const create = Effect.gen(function* () {
    const agent = yield* agents.holdLive(workspaceId, command.agentId)
    if (agent === undefined) return yield* new AgentNotFound()
    const recipe = command.recipe ?? agent.recipe
    if (!offers(agent, recipe) || !recipes.has(recipe)) return yield* new RecipeUnknown({ recipe })
    const settings = settingsOf(command, recipe)
    const mismatch = mismatchOf(agent.inputSchema, settings.input)
    if (mismatch !== undefined) return yield* new InputSchemaMismatch({ detail: mismatch })
    const session = yield* joinSession
    yield* admitToQueue(caller)
    return yield* acceptRun(caller, agent, session, settings, {
      trigger: command.trigger ?? { type: "api", id: null },
      resumesRunId: null,
      events: [],
      action: "run.triggered"
    })
  })

  return yield* unit.atomic(
    idempotently(command.idempotency, {
      create,
      idOf: (run) => run.id,
      find: (id) =>
        Effect.flatMap(runs.find(workspaceId, RunId.make(id)), (run) =>
          run === undefined ? Effect.fail(new RunNotFound()) : Effect.succeed(run)
        )
    })
  )
})
