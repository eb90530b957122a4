import { Idempotency, recordActivity, Signals, UnitOfWork } from "@agent-platform/kernel"
import { DateTime, Effect, Result } from "effect"
import type { Agent } from "../Agent.ts"
import { acceptanceActivity, newRun, RUN_QUEUED, sessionBegunBy } from "../NewRun.ts"
import { AgentRunner } from "../ports/AgentRunner.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import { RunStore } from "../ports/RunStore.ts"
import { SpendGate } from "../ports/SpendGate.ts"
import { QueueRoom } from "../QueueRoom.ts"
import type { Run, RunId } from "../Run.ts"
import type { SessionId } from "../Session.ts"
import { RUNS_READY } from "../signals.ts"
import { settingsOf, type TriggerRun, triggerOf } from "../TriggerRun.ts"

/** Most steps for checking one input beside others, which wait for it: a millisecond of work. */
const CHECK_STEPS_MAX = 20_000

/** A run that is to begin a session of its own, and to be accepted together with others. */
export interface Newcomer {
  readonly command: TriggerRun
  readonly id: RunId
  readonly sessionId: SessionId
  /** The `traceparent` of whoever triggers it. */
  readonly trace: string | null
}

/** Those whose workspaces may spend and have plenty of room in their queues. */
const admitted = Effect.fnUntraced(function* (newcomers: ReadonlyArray<Newcomer>) {
  const gate = yield* SpendGate
  const room = yield* QueueRoom
  const callers = new Map(newcomers.map(({ command: { caller } }) => [caller.workspaceId, caller]))
  const open = yield* Effect.filter(
    callers.values(),
    (caller) =>
      Effect.isSuccess(gate.admit(caller)).pipe(
        Effect.flatMap((isOpen) => (isOpen ? room.isWide(caller.workspaceId) : Effect.succeed(false)))
      ),
    { concurrency: "unbounded" }
  )
  return newcomers.filter(({ command }) => open.includes(callers.get(command.caller.workspaceId) ?? command.caller))
})

/** Those without an idempotency key, and those whose key is new, which the transaction claims. */
const claimed = Effect.fnUntraced(function* (newcomers: ReadonlyArray<Newcomer>) {
  const idempotency = yield* Idempotency
  const keyed = newcomers.flatMap(({ command, id }) =>
    command.idempotency === undefined ? [] : [{ id, request: command.idempotency }]
  )
  if (keyed.length === 0) return newcomers
  const isNew = yield* idempotency.claimNew(keyed.map(({ request }) => request))
  const others = new Set(keyed.filter((_, place) => !isNew[place]).map(({ id }) => id))
  return newcomers.filter(({ id }) => !others.has(id))
})

/** The agents of newcomers who name one that is there, kept as they are until the transaction ends. */
const heldAgents = Effect.fnUntraced(function* (newcomers: ReadonlyArray<Newcomer>) {
  const agents = yield* AgentStore
  const held = yield* agents.tryHoldLive(
    newcomers.map(({ command }) => ({ workspaceId: command.caller.workspaceId, id: command.agentId }))
  )
  return new Map(newcomers.map(({ id }, place) => [id, held[place]]))
})

const accept = Effect.fnUntraced(function* (newcomers: ReadonlyArray<Newcomer>) {
  const idempotency = yield* Idempotency
  const runs = yield* RunStore
  const signals = yield* Signals
  const { recipes } = yield* AgentRunner
  const [keyed, agents] = yield* Effect.all([claimed(newcomers), heldAgents(newcomers)], { concurrency: 2 })
  const createdAt = yield* DateTime.now
  const accepted: Array<{ readonly command: TriggerRun; readonly agent: Agent; readonly run: Run }> = []
  for (const { command, id, sessionId, trace } of keyed) {
    const agent = agents.get(id)
    const settings = settingsOf(command, agent, recipes, CHECK_STEPS_MAX)
    if (agent === undefined || Result.isFailure(settings)) continue
    const { caller } = command
    const made = {
      id,
      sessionId,
      caller,
      agent,
      settings: settings.success,
      trigger: triggerOf(command),
      createdAt,
      trace
    }
    accepted.push({ command, agent, run: newRun({ ...made, resumesRunId: null }) })
  }
  if (accepted.length === 0) return accepted
  const events = [{ ...RUN_QUEUED, createdAt, attempt: 0 }]
  yield* runs.insertFirst(...accepted.map(({ run }) => ({ run, session: sessionBegunBy(run), events })))
  yield* recordActivity(
    ...accepted.map(({ agent, command, run }) => acceptanceActivity("run.triggered", command.caller, agent, run))
  )
  const created = accepted.flatMap(({ command: { idempotency: request }, run }) =>
    request === undefined ? [] : [{ request, resourceId: run.id }]
  )
  if (created.length > 0) yield* idempotency.record(...created)
  yield* signals.raise(RUNS_READY)
  return accepted
})

/**
 * Accepts runs of whichever workspaces in one transaction, with what is written for each of them when it is accepted by itself.
 * Answers each, in their order: undefined for one of which nothing was written, since there is something to be said of it that is
 * only said in a transaction of its own: that its key came before, that its queue may be full, that its input takes long to check, that it is refused.
 */
export const acceptTogether = Effect.fnUntraced(
  function* (newcomers: ReadonlyArray<Newcomer>) {
    const unit = yield* UnitOfWork
    const able = yield* admitted(newcomers)
    const accepted = able.length === 0 ? [] : yield* unit.atomic(accept(able))
    const runs = new Map(accepted.map(({ run }) => [run.id, run]))
    return newcomers.map(({ id }) => runs.get(id))
  },
  Effect.tapDefect((defect) =>
    Effect.logWarning("Runs could not be accepted together, and are accepted one by one", defect)
  )
)
