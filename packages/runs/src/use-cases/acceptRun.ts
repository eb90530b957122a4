import { currentTraceparent, freshId, recordActivity, Signals, type WorkspaceCaller } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import type { Agent } from "../Agent.ts"
import { RunStore } from "../ports/RunStore.ts"
import { SpendGate } from "../ports/SpendGate.ts"
import { QUEUED_RUNS_MAX, QueueRoom } from "../QueueRoom.ts"
import { lowerCap, NO_USAGE, QueueFull, type Run, RunId, type RunTrigger } from "../Run.ts"
import type { NewRunEvent } from "../RunEvent.ts"
import { SessionBusy, type SessionId } from "../Session.ts"
import { RUNS_READY } from "../signals.ts"
import { storable, storableRecord, storableText } from "../storable.ts"
import { cancelRuns } from "./cancelRuns.ts"

/** What to do when the session has unfinished runs: wait behind them, refuse, or cancel all of them and go next. */
export type IfBusy = "enqueue" | "reject" | "interrupt"

/** What a run is to be. */
export interface RunSettings
  extends Pick<
    Run,
    "recipe" | "prompt" | "input" | "metadata" | "tags" | "priority" | "runAt" | "maxDurationSeconds" | "maxAttempts"
  > {
  readonly maxCostUsd: string | null
  /** How long after it was due it may still begin. */
  readonly ttlSeconds: number | null
}

/**
 * Fails with CapReached when the workspace may spend nothing more this month, and with QueueFull when its queue is full,
 * however many add to it at the same moment: near to the limit those who add to the queue go one by one.
 */
export const admitToQueue = Effect.fnUntraced(function* (caller: WorkspaceCaller) {
  const { workspaceId } = caller
  const gate = yield* SpendGate
  yield* gate.admit(caller)
  const room = yield* QueueRoom
  if (yield* room.isWide(workspaceId)) return
  const runs = yield* RunStore
  yield* runs.holdQueue(workspaceId)
  const queued = yield* runs.countQueued(workspaceId, QUEUED_RUNS_MAX)
  if (queued >= QUEUED_RUNS_MAX) return yield* new QueueFull({ limit: QUEUED_RUNS_MAX })
})

/** Does what is asked for when the session, which the transaction holds, is busy. Fails with SessionBusy. */
export const makeWay = Effect.fnUntraced(function* (caller: WorkspaceCaller, sessionId: SessionId, ifBusy: IfBusy) {
  if (ifBusy === "enqueue") return
  if (ifBusy === "interrupt") {
    yield* cancelRuns(sessionId, { caller, reason: "Interrupted by another run of the session", mode: "graceful" })
    return
  }
  const runs = yield* RunStore
  if (yield* runs.isBusy(sessionId)) return yield* new SessionBusy()
})

/** The run that these settings make. It may cost what its agent's runs may at most, or less. */
const compose = Effect.fnUntraced(function* (
  caller: WorkspaceCaller,
  agent: Agent,
  sessionId: SessionId,
  settings: RunSettings,
  origin: { readonly trigger: RunTrigger; readonly resumesRunId: RunId | null }
) {
  const createdAt = yield* DateTime.now
  const { maxAttempts, maxCostUsd, maxDurationSeconds, priority, prompt, recipe, runAt, ttlSeconds } = settings
  const run: Run = {
    id: yield* freshId(RunId),
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
    trigger: origin.trigger,
    resumesRunId: origin.resumesRunId,
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
    trace: yield* currentTraceparent
  }
  return run
})

/**
 * Writes a run at the end of its session's line, with the beginning of its log and the activity entry: in the session
 * that it begins, or in one that the transaction holds.
 */
export const acceptRun = Effect.fn("runs.acceptRun")(function* (
  caller: WorkspaceCaller,
  agent: Agent,
  session: { readonly id: SessionId; readonly isNew: boolean },
  settings: RunSettings,
  origin: {
    readonly trigger: RunTrigger
    readonly resumesRunId: RunId | null
    /** What the log says before the run is queued. */
    readonly events: ReadonlyArray<Pick<NewRunEvent, "type" | "data">>
    readonly action: "run.triggered" | "session.replied"
  }
) {
  const runs = yield* RunStore
  const signals = yield* Signals
  const run = yield* compose(caller, agent, session.id, settings, origin)
  const { createdAt, organizationId, workspaceId } = run
  const events = [...origin.events, { type: "run.queued" as const, data: {} }]
  yield* runs.insert(run, {
    session: session.isNew ? { id: session.id, organizationId, workspaceId, createdAt } : undefined,
    events: events.map((event) => ({ ...event, createdAt, attempt: 0 }))
  })
  const isReply = origin.action === "session.replied"
  yield* recordActivity({
    organizationId,
    workspaceId,
    action: origin.action,
    actor: caller.actor,
    summary: isReply
      ? `${caller.actor.label} replied to the agent '${agent.name}'`
      : `${caller.actor.label} triggered a run of the agent '${agent.name}'`,
    resourceType: isReply ? "session" : "run",
    resourceId: isReply ? session.id : run.id,
    payload: { run_id: run.id, session_id: session.id, agent_id: agent.id }
  })
  yield* signals.raise(RUNS_READY)
  return run
})
