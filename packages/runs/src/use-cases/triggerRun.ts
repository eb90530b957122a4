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

/** The session that the run is to be in: a new one, or one that is held from here on. */
const joinSession = Effect.fnUntraced(function* ({ caller, ifBusy, sessionId }: TriggerRun) {
  if (sessionId === undefined) return { id: yield* freshId(SessionId), isNew: true }
  const sessions = yield* SessionStore
  const session = yield* sessions.hold(caller.workspaceId, sessionId)
  if (session === undefined) return yield* new SessionNotFound()
  yield* makeWay(caller, session.id, ifBusy ?? "enqueue")
  return { id: session.id, isNew: false }
})

const create = Effect.fnUntraced(function* (command: TriggerRun) {
  const { caller } = command
  const agents = yield* AgentStore
  const { recipes } = yield* AgentRunner
  const agent = yield* agents.holdLive(caller.workspaceId, command.agentId)
  if (agent === undefined) return yield* new AgentNotFound()
  const recipe = command.recipe ?? agent.recipe
  if (!offers(agent, recipe) || !recipes.has(recipe)) return yield* new RecipeUnknown({ recipe })
  const settings = settingsOf(command, recipe)
  const mismatch = mismatchOf(agent.inputSchema, settings.input)
  if (mismatch !== undefined) return yield* new InputSchemaMismatch({ detail: mismatch })
  const session = yield* joinSession(command)
  yield* admitToQueue(caller)
  return yield* acceptRun(caller, agent, session, settings, {
    trigger: command.trigger ?? { type: "api", id: null },
    resumesRunId: null,
    events: [],
    action: "run.triggered"
  })
})

/**
 * Accepts a run: the run, the first event of its log and its activity entry, in one transaction. Fails with
 * AgentNotFound, RecipeUnknown, InputSchemaMismatch, SessionNotFound, SessionBusy, CapReached or QueueFull. Spec: Runs and
 * sessions.
 */
export const triggerRun = Effect.fn("runs.triggerRun")(function* (command: TriggerRun) {
  const runs = yield* RunStore
  const unit = yield* UnitOfWork
  return yield* unit.atomic(
    idempotently(command.idempotency, {
      create: create(command),
      idOf: (run) => run.id,
      find: (id) =>
        Effect.flatMap(runs.find(command.caller.workspaceId, RunId.make(id)), (run) =>
          run === undefined ? Effect.fail(new RunNotFound()) : Effect.succeed(run)
        )
    })
  )
})
