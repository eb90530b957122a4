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
import { NO_USAGE, QueueFull, type Run, RunId, RunNotFound } from "../Run.ts"
import { SessionBusy, SessionId, SessionNotFound } from "../Session.ts"
import { storable, storableRecord, storableText } from "../storable.ts"

export interface TriggerRun {
  readonly caller: WorkspaceCaller
  readonly agentId: AgentId
  /** Undefined takes the agent's own. */
  readonly recipe: string | undefined
  /** Undefined opens a new session. */
  readonly sessionId: SessionId | undefined
  readonly prompt: string | null
  readonly input: Schema.Json
  readonly metadata: Readonly<Record<string, string>>
  readonly tags: ReadonlyArray<string>
  readonly priority: number
  readonly runAt: DateTime.Utc | null
  readonly ttlSeconds: number | null
  readonly maxDurationSeconds: number
  readonly maxAttempts: number
  readonly maxCostUsd: string | null
  /** What to do when the session has an unfinished run: wait behind it, or fail with SessionBusy. */
  readonly ifBusy: "enqueue" | "reject"
  readonly idempotency: IdempotencyRequest | undefined
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
    const start = command.runAt ?? createdAt
    const run: Run = {
      id: yield* freshId(RunId),
      organizationId,
      workspaceId,
      sessionId,
      agentId: agent.id,
      recipe,
      status: "queued",
      paused: false,
      prompt: command.prompt === null ? null : storableText(command.prompt),
      input: storable(command.input),
      message: null,
      interrupt: null,
      interruptTruncated: false,
      result: null,
      error: null,
      errorCode: null,
      attempt: 0,
      maxAttempts: command.maxAttempts,
      maxDurationSeconds: command.maxDurationSeconds,
      maxCostUsd: command.maxCostUsd,
      priority: command.priority,
      trigger: { type: "api", id: null },
      resumesRunId: null,
      resumedByRunId: null,
      createdAt,
      runAt: command.runAt,
      expiresAt: command.ttlSeconds === null ? null : DateTime.add(start, { seconds: command.ttlSeconds }),
      startedAt: null,
      finishedAt: null,
      cancelRequestedAt: null,
      costUsd: "0.00",
      usage: NO_USAGE,
      metadata: storableRecord(command.metadata),
      tags: command.tags.map(storableText)
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
