import { freshId, type IdempotencyRequest, Uuid, type WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { Effect, Schema } from "effect"
import { AgentNotFound, executable, RecipeUnknown } from "../Agent.ts"
import { acceptRun } from "../acceptance/acceptRun.ts"
import { placeInSession } from "../acceptance/ifBusy.ts"
import { overridesFor } from "../acceptance/overridesFor.ts"
import type { RunPlan } from "../acceptance/Trigger.ts"
import {
  type CallReplies,
  type CallReplyRefused,
  callRepliesIn,
  callRepliesLogged,
  callReplyFaultOf
} from "../CallReply.ts"
import { interruptMismatchOf } from "../jsonSchema.ts"
import type { Given, RunOverrides } from "../ModelSettings.ts"
import type { RunSettings } from "../NewRun.ts"
import { AgentRunner } from "../ports/AgentRunner.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import { RunReader } from "../ports/RunReader.ts"
import { SessionRuns } from "../ports/SessionRuns.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { isTerminal, type Run, type RunId, RunNotFound } from "../Run.ts"
import type { ContentPart } from "../RunContent.ts"
import {
  type IfBusy,
  InterruptAlreadyAnswered,
  InterruptCancelled,
  InterruptSchemaMismatch,
  RunNotPaused,
  type Session,
  type SessionId,
  SessionNotFound
} from "../Session.ts"
import { storable } from "../storable.ts"
import { demandSchemas } from "./demandSchemas.ts"

/** The id of a message. */
export const MessageId = Uuid.pipe(Schema.brand("MessageId"))

export interface ReplyToSession extends CallReplies {
  readonly caller: WorkspaceCaller
  readonly sessionId: SessionId
  /** The text; null for a reply that answers calls alone. */
  readonly message: string | null
  /** The paused run that is answered; the latest open question of the session unless named. */
  readonly runId?: RunId | undefined
  /** The decision, such as `approve`; the agent gets it with the data as its input. */
  readonly decision?: string | null | undefined
  readonly data?: Schema.Json | undefined
  /** Content beside the message; none unless named. */
  readonly content?: ReadonlyArray<ContentPart> | undefined
  /** The settings that its run is to have in the place of its agent's; else it has those of the run before. */
  readonly overrides?: Given<RunOverrides> | undefined
  /** `metadata` and `tags` are those of the run before, unless given. */
  readonly metadata?: Run["metadata"] | undefined
  readonly tags?: Run["tags"] | undefined
  readonly ifBusy?: IfBusy | undefined
  readonly idempotency?: IdempotencyRequest | undefined
}

/** The open question that is answered; undefined where none is named and none is open. */
const findQuestion = Effect.fnUntraced(function* (session: Session, runId: RunId | undefined) {
  const sessionRuns = yield* SessionRuns
  const runs = yield* RunReader
  if (runId === undefined) return yield* sessionRuns.openQuestion(session.id)
  const run = yield* runs.find(session.workspaceId, runId)
  if (run === undefined || run.sessionId !== session.id) return yield* new RunNotFound()
  if (!run.paused) return yield* new RunNotPaused({ isFinished: isTerminal(run) })
  if (run.resumedByRunId !== null) return yield* new InterruptAlreadyAnswered()
  if (run.questionCancelledAt !== null) return yield* new InterruptCancelled()
  return run
})

const isToCalls = ({ approvals, toolResults }: ReplyToSession): boolean =>
  approvals !== undefined || toolResults !== undefined

/** The input of the reply's run: all that comes with the text; null where nothing does. */
const inputOf = (command: ReplyToSession): Schema.Json => {
  const { data, decision } = command
  if (decision == null && data === undefined && !isToCalls(command)) return null
  return { decision: decision ?? null, data: data ?? null, ...callRepliesIn(command) }
}

/** The reply's run goes on by the recipe and within the bounds of the run before it, and with its metadata and tags unless it has its own. */
const settingsAfter = (before: Run, command: ReplyToSession, overrides: RunOverrides | null): RunSettings => ({
  overrides,
  recipe: before.recipe,
  prompt: command.message,
  input: inputOf(command),
  metadata: command.metadata ?? before.metadata,
  tags: command.tags ?? before.tags,
  priority: before.priority,
  runAt: null,
  ttlSeconds: null,
  maxDurationSeconds: before.maxDurationSeconds,
  maxAttempts: before.maxAttempts,
  maxCostUsd: before.maxCostUsd
})

/** Why a reply to calls finds no open question, by the latest run of the session. */
const lateFor = (latest: Run, fault: CallReplyRefused) => {
  // The latest run may have got an earlier part of the results, and may still pause on the calls that wait.
  if (!isTerminal(latest)) return new RunNotPaused({ isFinished: false })
  if (latest.questionCancelledAt !== null) return new InterruptCancelled()
  return latest.resumesRunId === null ? fault : new InterruptAlreadyAnswered()
}

/** The plan of the reply's run. The session is locked first, so that its runs do not change meanwhile. */
const planOf = Effect.fnUntraced(function* (command: ReplyToSession) {
  const { caller, decision = null, message } = command
  const agents = yield* AgentStore
  const sessions = yield* SessionStore
  const sessionRuns = yield* SessionRuns
  const runner = yield* AgentRunner
  const session = yield* sessions.hold(caller.workspaceId, command.sessionId)
  if (session === undefined) return yield* new SessionNotFound()
  const question = yield* findQuestion(session, command.runId)
  const mismatch = question === undefined ? undefined : interruptMismatchOf(question.interrupt, command.data)
  if (mismatch !== undefined) return yield* new InterruptSchemaMismatch(mismatch)
  const before = question ?? (yield* sessionRuns.latest(session.id))
  if (before === undefined) return yield* new SessionNotFound()
  const fault = callReplyFaultOf(question?.interrupt ?? null, command)
  if (fault !== undefined && question === undefined) return yield* lateFor(before, fault)
  if (fault !== undefined) return yield* fault
  const [agent] = yield* agents.holdLive([{ workspaceId: caller.workspaceId, id: before.agentId }], "wait")
  if (agent === undefined) return yield* new AgentNotFound()
  const { recipe } = before
  const possible = executable(agent, runner.recipes)
  if (!possible.includes(recipe)) return yield* new RecipeUnknown({ recipe, possible })
  const overrides = yield* Effect.fromResult(overridesFor(runner, agent, recipe, command.overrides, before.overrides))
  const place = yield* placeInSession(session.id, command.ifBusy)
  const messageId = yield* freshId(MessageId)
  const data = storable(command.data ?? null)
  return {
    agent,
    settings: settingsAfter(before, command, overrides),
    trigger: { type: "message", id: messageId },
    sessionId: session.id,
    beginsSession: false,
    ...place,
    resumesRunId: question?.id ?? null,
    events: [
      {
        type: "message.received",
        data: { message_id: messageId, message: message ?? "", decision, data, ...callRepliesLogged(command) }
      }
    ],
    content: command.content ?? [],
    action: "session.replied"
  } satisfies RunPlan
})

/**
 * Says something to a session: the answer to an open question if there is one, else an ordinary turn. Either is a run of
 * its own, which reports its own outcome; of several answers to one question exactly one wins. Fails with SessionNotFound,
 * RunNotFound, RunNotPaused, InterruptAlreadyAnswered, InterruptCancelled, InterruptSchemaMismatch, CallReplyRefused, OverrideRefused, AgentFlawed,
 * SessionBusy, CapReached, QueueFull, and with AgentNotFound or RecipeUnknown when the agent does not run any more. Spec: Events 3.
 */
export const replyToSession = useCase("runs.replyToSession")(function* (command: ReplyToSession) {
  const { caller, idempotency, overrides } = command
  yield* demandSchemas({ modelSettings: overrides })
  return yield* acceptRun({
    caller,
    idempotency,
    agentId: undefined,
    isShareable: false,
    plan: () => planOf(command)
  })
})
