import {
  atomic,
  type Claim,
  type Created,
  closeNotices,
  Idempotency,
  type IdempotencyInProgress,
  type IdempotencyKeyReused,
  recordActivity,
  Signals,
  type WorkspaceCaller
} from "@agent-platform/kernel"
import { DateTime, Effect, Result } from "effect"
import type { Agent } from "../Agent.ts"
import { acceptanceActivity, newRun, RUN_QUEUED } from "../NewRun.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import { RunAcceptance } from "../ports/RunAcceptance.ts"
import { RunContentStore } from "../ports/RunContentStore.ts"
import { SessionRuns } from "../ports/SessionRuns.ts"
import { SpendGate } from "../ports/SpendGate.ts"
import { type CapReached, type QueueFull, type Run, RunId, type RunNotFound, WorkspaceClosed } from "../Run.ts"
import type { SessionId } from "../Session.ts"
import { RUNS_READY } from "../signals.ts"
import { storable } from "../storable.ts"
import { cancelBatch, cancelRuns } from "../use-cases/cancelRuns.ts"
import { findRun } from "../use-cases/readRun.ts"
import { admitToQueue, QueueLimit } from "./QueueLimit.ts"
import { NeedsOwnTransaction, type RunPlan, type Sharing, type Trigger } from "./Trigger.ts"

/** The limits of a workspace, read right before its runs are accepted. */
const limitsOf = Effect.fnUntraced(function* (caller: WorkspaceCaller) {
  const gate = yield* SpendGate
  const queue = yield* QueueLimit
  const spending = yield* Effect.result(gate.admit(caller))
  return { spending, isQueueNearlyFull: yield* queue.isNear(caller.workspaceId) }
})
type Limits = Effect.Success<ReturnType<typeof limitsOf>>

/** The limits of each workspace, read once for all of its triggers. Outside of their transaction, where all workspaces can be read at once. */
const limitsOfAll = Effect.fnUntraced(function* (callers: ReadonlyArray<WorkspaceCaller>) {
  const distinct = [...new Map(callers.map((caller) => [caller.workspaceId, caller])).values()]
  const limits = yield* Effect.forEach(distinct, limitsOf, { concurrency: "unbounded" })
  return new Map(distinct.map(({ workspaceId }, index) => [workspaceId, limits[index] as Limits]))
})

/** Claims the idempotency keys of the triggers that have one; a trigger without a key has no claim. */
const claimKeys = Effect.fnUntraced(function* (triggers: ReadonlyArray<Trigger<unknown>>) {
  const idempotency = yield* Idempotency
  const keyed = triggers.filter((trigger) => trigger.idempotency !== undefined)
  if (keyed.length === 0) return new Map<RunId, Claim | undefined>()
  const claims = yield* idempotency.claim(...keyed.flatMap((trigger) => trigger.idempotency ?? []))
  return new Map(keyed.map(({ runId }, index) => [runId, claims[index]]))
})

/** The living agents that triggers name, locked until the transaction ends. */
const holdAgents = Effect.fnUntraced(function* (triggers: ReadonlyArray<Trigger<unknown>>, sharing: Sharing) {
  const agents = yield* AgentStore
  const naming = triggers.flatMap(({ agentId, caller: { workspaceId }, runId }) =>
    agentId === undefined ? [] : [{ id: agentId, workspaceId, runId }]
  )
  if (naming.length === 0) return new Map<RunId, Agent | undefined>()
  const held = yield* agents.holdLive(naming, sharing === "shared" ? "skip" : "wait")
  return new Map(naming.map(({ runId }, index) => [runId, held[index]]))
})

/** Fails with CapReached or QueueFull, or with NeedsOwnTransaction where a shared transaction would have to lock the queue. */
const admit = Effect.fnUntraced(function* (
  workspace: WorkspaceCaller,
  plan: RunPlan,
  limits: Limits,
  sharing: Sharing
) {
  yield* Effect.fromResult(limits.spending)
  if (!limits.isQueueNearlyFull) return
  if (sharing === "shared") return yield* new NeedsOwnTransaction()
  const sessionRuns = yield* SessionRuns
  const leaving = plan.interrupts ? (yield* sessionRuns.countUnfinished(plan.sessionId)).queued : 0
  yield* admitToQueue(workspace.workspaceId, leaving)
})

/** A trigger that is accepted, with the run that it sets going. */
const accepted = (trigger: Trigger<unknown>, plan: RunPlan, createdAt: DateTime.Utc) => {
  const { caller, runId: id, trace } = trigger
  return { trigger, plan, run: newRun({ ...plan, id, caller, createdAt, trace }) }
}
type Accepted = ReturnType<typeof accepted>

/** Cancels the unfinished runs of a session, for another that goes next. */
const interrupt = (caller: WorkspaceCaller, sessionId: SessionId) => {
  const cancellation = { caller, reason: "Interrupted by another run of the session", mode: "graceful" } as const
  return cancelRuns((before) => cancelBatch(sessionId, cancellation, before))
}

/** Writes the runs of different sessions, with their activity and with what each idempotency key created. */
const write = Effect.fnUntraced(function* (all: ReadonlyArray<Accepted>) {
  const acceptance = yield* RunAcceptance
  const contents = yield* RunContentStore
  const sessionRuns = yield* SessionRuns
  const idempotency = yield* Idempotency
  const signals = yield* Signals
  // Before the new runs are inserted, which are unfinished runs of their sessions as well.
  for (const { plan, trigger } of all) if (plan.interrupts) yield* interrupt(trigger.caller, plan.sessionId)
  yield* acceptance.insert(
    all.map(({ plan: { beginsSession, events }, run }) => ({
      run,
      beginsSession,
      events: [...events, RUN_QUEUED].map((event) => ({ ...event, createdAt: run.createdAt, attempt: 0 }))
    }))
  )
  for (const { plan, run } of all) {
    if (plan.content.length > 0)
      yield* contents.insert(
        run,
        plan.content.map((part) => storable(part))
      )
  }
  for (const { plan, run } of all) {
    if (plan.resumesRunId === null || (yield* sessionRuns.answer(plan.resumesRunId, run.id))) continue
    return yield* Effect.die(
      new Error(`The question of run ${plan.resumesRunId} was answered although its session is held`)
    )
  }
  yield* closeNotices(
    ...all.flatMap(({ plan: { resumesRunId: about }, run: { organizationId, workspaceId } }) =>
      about === null ? [] : [{ organizationId, workspaceId, about, title: "A run's question was answered" }]
    )
  )
  yield* recordActivity(
    ...all.map(({ plan, run, trigger }) => acceptanceActivity(plan.action, trigger.caller, plan.agent, run))
  )
  const created = all.flatMap(({ run, trigger: { idempotency: request } }) =>
    request === undefined ? [] : [{ request, resourceId: run.id }]
  )
  if (created.length > 0) yield* idempotency.record(...created)
  yield* signals.raise(RUNS_READY)
})

/** The reasons for refusing a trigger, in addition to those of its own plan. */
export type AcceptanceRefusal =
  | CapReached
  | WorkspaceClosed
  | QueueFull
  | IdempotencyKeyReused
  | IdempotencyInProgress
  | NeedsOwnTransaction
  | RunNotFound

/**
 * Decides about one trigger: finds the earlier run of its idempotency key, or plans a new one. A workspace that is being erased refuses
 * both; all other limits are for new runs alone.
 */
const decide = Effect.fnUntraced(function* <E>(
  trigger: Trigger<E>,
  given: {
    readonly claim: Claim | undefined
    readonly agent: Agent | undefined
    readonly limits: Limits
    readonly sharing: Sharing
  }
) {
  const { spending } = given.limits
  if (Result.isFailure(spending) && spending.failure instanceof WorkspaceClosed) return yield* spending.failure
  const earlier =
    given.claim === undefined
      ? undefined
      : yield* Effect.fromResult(given.claim).pipe(
          // The first request with this key may be in this very batch: alone, the second waits until that is committed.
          Effect.mapError((refusal) =>
            given.sharing === "shared" && refusal._tag === "IdempotencyInProgress" ? new NeedsOwnTransaction() : refusal
          )
        )
  if (earlier !== undefined) {
    return { replayed: yield* findRun({ caller: trigger.caller, runId: RunId.make(earlier) }) }
  }
  const plan = yield* trigger.plan(given.agent, given.sharing)
  yield* admit(trigger.caller, plan, given.limits, given.sharing)
  return { plan }
})

const accept = Effect.fnUntraced(function* <E>(
  triggers: ReadonlyArray<Trigger<E>>,
  limits: ReadonlyMap<string, Limits>,
  sharing: Sharing
) {
  const [claims, agents] = yield* Effect.all([claimKeys(triggers), holdAgents(triggers, sharing)], { concurrency: 2 })
  const decisions = yield* Effect.forEach(triggers, (trigger) => {
    const { caller, runId } = trigger
    const given = { claim: claims.get(runId), agent: agents.get(runId), sharing }
    return Effect.result(decide(trigger, { ...given, limits: limits.get(caller.workspaceId) as Limits }))
  })
  const createdAt = yield* DateTime.now
  const all: Array<Accepted> = []
  const answers = triggers.map((trigger, index) =>
    Result.map(decisions[index] as (typeof decisions)[number], (decision): Created<Run> => {
      if (decision.plan === undefined) return { value: decision.replayed, replayed: true }
      const one = accepted(trigger, decision.plan, createdAt)
      all.push(one)
      return { value: one.run, replayed: false }
    })
  )
  if (all.length > 0) yield* write(all)
  return answers
})

/**
 * Accepts triggers in one transaction: decides each by itself, and writes the accepted ones together. Returns an answer for each,
 * in their order. Several must be of different sessions. Triggers that share a transaction wait for no lock; one that would have
 * to is answered NeedsOwnTransaction.
 */
export const acceptRuns = Effect.fnUntraced(function* <E>(triggers: ReadonlyArray<Trigger<E>>, sharing: Sharing) {
  const limits = yield* limitsOfAll(triggers.map(({ caller }) => caller))
  return yield* atomic(accept(triggers, limits, sharing))
})
