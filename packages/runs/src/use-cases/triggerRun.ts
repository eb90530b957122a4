import {
  freshId,
  type IdempotencyRequest,
  idempotently,
  JobQueue,
  UnitOfWork,
  type WorkspaceCaller
} from "@agent-platform/kernel"
import { DateTime, Effect, type Schema } from "effect"
import { type AgentId, AgentNotFound, offers, RecipeUnknown } from "../Agent.ts"
import { executeRun } from "../jobs.ts"
import { AgentRunner } from "../ports/AgentRunner.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import { RunLog } from "../ports/RunLog.ts"
import { RunStore } from "../ports/RunStore.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { DURATION_SECONDS_DEFAULT, NO_USAGE, QueueFull, type Run, RunId, RunNotFound } from "../Run.ts"
import { SessionBusy, SessionId, SessionNotFound } from "../Session.ts"
import { storable, storableRecord, storableText } from "../storable.ts"

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
  /** Higher goes first; 0 unless named. */
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
  /** What to do when the session has an unfinished run: wait behind it (unless named), or fail with SessionBusy. */
  readonly ifBusy?: "enqueue" | "reject" | undefined
  readonly idempotency?: IdempotencyRequest | undefined
}

/** How many runs of one workspace may be queued. */
export const QUEUED_RUNS_MAX = 10_000

/**
 * Accepts a run: the run, the first event of its log and the job that executes it, in one transaction. Fails with
 * AgentNotFound, RecipeUnknown, SessionNotFound, SessionBusy or QueueFull. Spec: Runs and sessions.
 */
export const triggerRun = Effect.fn("runs.triggerRun")(function* (command: TriggerRun) {
  const { organizationId, workspaceId } = command.caller
  const agents = yield* AgentStore
  const sessions = yield* SessionStore
  const runs = yield* RunStore
  const log = yield* RunLog
  const queue = yield* JobQueue
  const unit = yield* UnitOfWork
  const { recipes } = yield* AgentRunner

  const joinSession = Effect.gen(function* () {
    if (command.sessionId === undefined) {
      const id = yield* freshId(SessionId)
      yield* sessions.insert({ id, organizationId, workspaceId, createdAt: yield* DateTime.now })
      return id
    }
    const session = yield* sessions.hold(workspaceId, command.sessionId)
    if (session === undefined) return yield* new SessionNotFound()
    if (command.ifBusy === "reject" && (yield* runs.isBusy(session.id))) return yield* new SessionBusy()
    return session.id
  })

  const create = Effect.gen(function* () {
    const agent = yield* agents.find(workspaceId, command.agentId)
    if (agent === undefined) return yield* new AgentNotFound()
    const recipe = command.recipe ?? agent.recipe
    if (!offers(agent, recipe) || !recipes.has(recipe)) return yield* new RecipeUnknown({ recipe })
    const queued = yield* runs.countQueued(workspaceId, QUEUED_RUNS_MAX)
    if (queued >= QUEUED_RUNS_MAX) return yield* new QueueFull({ limit: QUEUED_RUNS_MAX })
    const sessionId = yield* joinSession
    const createdAt = yield* DateTime.now
    const runAt = command.runAt ?? null
    const ttlSeconds = command.ttlSeconds ?? null
    const prompt = command.prompt ?? null
    const run: Run = {
      id: yield* freshId(RunId),
      organizationId,
      workspaceId,
      sessionId,
      agentId: agent.id,
      recipe,
      status: "queued",
      paused: false,
      prompt: prompt === null ? null : storableText(prompt),
      input: storable(command.input ?? null),
      message: null,
      interrupt: null,
      interruptTruncated: false,
      result: null,
      error: null,
      errorCode: null,
      attempt: 0,
      maxAttempts: command.maxAttempts ?? 1,
      maxDurationSeconds: command.maxDurationSeconds ?? DURATION_SECONDS_DEFAULT,
      maxCostUsd: command.maxCostUsd ?? null,
      priority: command.priority ?? 0,
      trigger: { type: "api", id: null },
      resumesRunId: null,
      resumedByRunId: null,
      createdAt,
      runAt,
      expiresAt: ttlSeconds === null ? null : DateTime.add(runAt ?? createdAt, { seconds: ttlSeconds }),
      startedAt: null,
      finishedAt: null,
      cancelRequestedAt: null,
      costUsd: "0.00",
      usage: NO_USAGE,
      metadata: storableRecord(command.metadata ?? {}),
      tags: (command.tags ?? []).map(storableText)
    }
    yield* runs.insert(run)
    yield* log.append([
      {
        runId: run.id,
        claimToken: null,
        events: [{ type: "run.queued", createdAt, attempt: 0, data: {} }]
      }
    ])
    yield* queue.enqueue(
      executeRun,
      { run_id: run.id },
      {
        runAt: command.runAt ?? undefined,
        priority: command.priority
      }
    )
    return run
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
