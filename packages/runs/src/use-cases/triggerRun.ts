import { currentTraceparent, freshId, idempotently, Transaction, UnitOfWork, useCase } from "@agent-platform/kernel"
import { Effect, Option } from "effect"
import { AgentNotFound } from "../Agent.ts"
import { JointAcceptance } from "../JointAcceptance.ts"
import { AgentRunner } from "../ports/AgentRunner.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import { RunStore } from "../ports/RunStore.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { RunId, RunNotFound } from "../Run.ts"
import { SessionId, SessionNotFound } from "../Session.ts"
import { settingsOf, type TriggerRun, triggerOf } from "../TriggerRun.ts"
import { acceptRun, admitToQueue, makeWay } from "./acceptRun.ts"

/** The session that the run is to be in: a new one, or one that is held from here on. */
const joinSession = Effect.fnUntraced(function* ({ caller, ifBusy, sessionId }: TriggerRun) {
  if (sessionId === undefined) return yield* freshId(SessionId)
  const sessions = yield* SessionStore
  const session = yield* sessions.hold(caller.workspaceId, sessionId)
  if (session === undefined) return yield* new SessionNotFound()
  yield* makeWay(caller, session.id, ifBusy ?? "enqueue")
  return session.id
})

const create = Effect.fnUntraced(function* (command: TriggerRun, id: RunId) {
  const { caller } = command
  const agents = yield* AgentStore
  const { recipes } = yield* AgentRunner
  const agent = yield* agents.holdLive(caller.workspaceId, command.agentId)
  if (agent === undefined) return yield* new AgentNotFound()
  const settings = yield* Effect.fromResult(settingsOf(command, agent, recipes))
  const sessionId = yield* joinSession(command)
  yield* admitToQueue(caller)
  return yield* acceptRun(
    { id, sessionId, caller, agent, settings, trigger: triggerOf(command), resumesRunId: null },
    { isFirst: command.sessionId === undefined, events: [], action: "run.triggered" }
  )
})

const find = Effect.fnUntraced(function* ({ caller }: TriggerRun, id: RunId) {
  const runs = yield* RunStore
  return yield* runs.find(caller.workspaceId, id)
})

/**
 * Accepts a run by itself: the run, the first event of its log and its activity entry, in one transaction, which may be part of
 * another. Fails as triggerRun does.
 */
export const triggerAlone = Effect.fnUntraced(function* (command: TriggerRun, id: RunId) {
  const unit = yield* UnitOfWork
  return yield* unit.atomic(
    idempotently(command.idempotency, {
      create: create(command, id),
      idOf: (run) => run.id,
      find: (earlier) =>
        Effect.flatMap(find(command, RunId.make(earlier)), (run) =>
          run === undefined ? Effect.fail(new RunNotFound()) : Effect.succeed(run)
        )
    })
  )
})

/** The run, accepted together with others; undefined where it is to be accepted alone. */
const triggerTogether = Effect.fnUntraced(function* (command: TriggerRun, id: RunId) {
  // One that joins a session holds it, and others must not wait for that; what is part of a transaction stays in it.
  if (command.sessionId !== undefined || Option.isSome(yield* Effect.serviceOption(Transaction))) return undefined
  const joint = yield* JointAcceptance
  const newcomer = { command, id, sessionId: yield* freshId(SessionId), trace: yield* currentTraceparent }
  return yield* Effect.catchCause(joint.accept(newcomer), () => find(command, id))
})

/**
 * Accepts a run: the run, the first event of its log and its activity entry, in one transaction, which it shares with others
 * where it begins a session. Fails with AgentNotFound, RecipeUnknown, InputSchemaMismatch, SessionNotFound, SessionBusy,
 * CapReached or QueueFull. Spec: Runs and sessions.
 */
export const triggerRun = useCase("runs.triggerRun")(function* (command: TriggerRun) {
  const id = yield* freshId(RunId)
  const run = yield* triggerTogether(command, id)
  return run === undefined ? yield* triggerAlone(command, id) : { value: run, replayed: false }
})
