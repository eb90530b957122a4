import { atomic, Fingerprints, SecretBox, Uuid } from "@agent-platform/kernel"
import { makeBind, useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Agent, endpointSecretPlace, HTTP_RECIPE, liveEndpointSecrets } from "../Agent.ts"
import { openAgentSecrets } from "../agentSecrets.ts"
import { endingOf } from "../endingOf.ts"
import { WebhookSignatureInvalid } from "../InboundWebhook.ts"
import { loggable, TOO_DEEP } from "../loggable.ts"
import type { Turn } from "../ports/AgentRunner.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import { CheckpointStore } from "../ports/CheckpointStore.ts"
import { RunReader } from "../ports/RunReader.ts"
import { RunSettlement } from "../ports/RunSettlement.ts"
import { SpendGuard } from "../ports/SpendGuard.ts"
import { makeRedactor } from "../Redactor.ts"
import { Run, type RunId, type TurnEnd } from "../Run.ts"
import type { NewRunEvent } from "../RunEvent.ts"
import { failed, handleLine, makeProgress, readLineValue } from "../recipes/httpLines.ts"
import { countStated, type StatedUsage } from "../recipes/statedUsage.ts"
import { utf8 } from "../utf8.ts"
import { type SignedRequest, verifySignature } from "../webhookSignature.ts"
import { settleRuns } from "./settleRuns.ts"

/** Most lines of a callback. */
export const CALLBACK_LINES_MAX = 1_000

/** The run does not execute this attempt any more: it has ended, or another attempt has begun. */
export class CallbackNotAwaited extends Schema.TaggedError<CallbackNotAwaited>()("CallbackNotAwaited", {}) {}

/** None of the lines ends the run, or one of them cannot be used. */
export class CallbackUnusable extends Schema.TaggedError<CallbackUnusable>()("CallbackUnusable", {
  /** The place of the line; undefined where the last one is missing. */
  line: Schema.optionalKey(Schema.Int),
  detail: Schema.String
}) {}

export interface Callback {
  readonly attempt: number
  /** The lines of the agent's answer, the last of which ends the run. */
  readonly lines: ReadonlyArray<Schema.Json>
}

export interface ReceiveCallback<ReadError, ParseError> extends Pick<SignedRequest, "headers"> {
  readonly runId: RunId
  /** Reads the body, which is done only for a run that there is. */
  readonly read: Effect.Effect<Uint8Array, ReadError>
  /** Parses the body, which is done only once its signature is verified. */
  readonly parse: (raw: Uint8Array) => Effect.Effect<Callback, ParseError>
}

const UNSIGNED = new WebhookSignatureInvalid({ detail: "No signature of the request matches its body" })

/** The run and its agent, whose secrets sign. A run that there is not looks like a signature that does not match. */
const findRun = Effect.fnUntraced(function* (runId: RunId) {
  const found = yield* RunReader.use((runs) => runs.findHeld(runId))
  if (found === undefined || found.run.recipe !== HTTP_RECIPE) return yield* UNSIGNED
  const { agentId, overrides, workspaceId } = found.run
  const agent = yield* AgentStore.use((agents) => agents.recall(workspaceId, agentId))
  if (agent?.endpoint == null) return yield* UNSIGNED
  return { ...found, agent: Agent.overridden(agent, overrides), endpoint: agent.endpoint }
})

type Found = Effect.Success<ReturnType<typeof findRun>>

/** Fails unless one of the secrets has signed the request. */
const demandSigned = Effect.fnUntraced(function* ({ agent, endpoint }: Found, request: SignedRequest) {
  const box = yield* SecretBox
  let refusal = UNSIGNED
  for (const sealed of liveEndpointSecrets(endpoint, yield* DateTime.now)) {
    const secret = yield* Effect.orDie(box.open(endpointSecretPlace(agent), sealed))
    const checked = yield* Effect.result(verifySignature("standard-webhooks", secret, request))
    if (checked._tag === "Success") return
    refusal = checked.failure
  }
  return yield* refusal
})

/** The id of a reported call, the same when the callback comes again: a UUIDv7 of the time in the run's id, and a fingerprint. */
const callIdOf = Effect.fnUntraced(function* ({ attempt, id }: Run, nth: number) {
  const fingerprints = yield* Fingerprints
  const print = yield* fingerprints.of("callback usage", utf8(`${id}/${attempt}/${nth}`))
  return Uuid.make(`${id.slice(0, 14)}7${print.slice(0, 3)}-8${print.slice(3, 6)}-${print.slice(6, 18)}`)
})

/** A turn whose events and checkpoint are gathered, to be written with its end. */
const gathering = Effect.fnUntraced(function* ({ agent, run }: Found) {
  const redactor = makeRedactor(...(yield* openAgentSecrets(agent)))
  const events: Array<NewRunEvent> = []
  let state: Schema.Json | undefined
  let refused: TurnEnd | undefined
  const keep = (given: Schema.Json) =>
    Effect.sync(() => {
      state = given
    })
  const turn: Turn = {
    run,
    agent,
    redactor,
    emit: Effect.fnUntraced(function* (type, given) {
      const kept = loggable(given, redactor)
      if (kept === undefined) refused ??= failed(TOO_DEEP)
      else events.push({ type, createdAt: yield* DateTime.now, attempt: run.attempt, data: kept.data })
    }),
    checkpoint: { load: Effect.undefined, ofQuestion: Effect.undefined, ofSession: Effect.undefined, save: keep, keep }
  }
  return { turn, events, state: () => state, refused: () => refused }
})

/** Handles the lines up to the one that ends the turn. Reported calls are counted, each once, however often the callback comes. */
const outcomeOf = Effect.fnUntraced(function* (turn: Turn, { lines }: Callback) {
  const bind = yield* makeBind(SpendGuard, Fingerprints, SecureRandom.SecureRandom)
  const count = bind((usage: StatedUsage, nth: number) =>
    Effect.flatMap(callIdOf(turn.run, nth), (id) =>
      countStated(turn, usage, { id, payer: { source: "byok", keyId: null }, isReported: true })
    )
  )
  const progress = makeProgress(turn, count)
  for (const line of lines) {
    const outcome = yield* handleLine(progress, readLineValue(line))
    if (outcome !== undefined) return outcome
  }
  return yield* new CallbackUnusable({ detail: "must end with a line of the type result, pause or fail" })
})

/** Fails unless every line can be used. Asked before the first is handled, since calls that were counted stay counted. */
const demandUsable = Effect.fnUntraced(function* (lines: ReadonlyArray<Schema.Json>) {
  for (const [index, value] of lines.entries()) {
    const line = readLineValue(value)
    if (line.type === "unusable") return yield* new CallbackUnusable({ line: index, detail: line.why })
    if (line.type === "result" || line.type === "pause" || line.type === "fail") return
  }
  return yield* new CallbackUnusable({ detail: "must have a line of the type result, pause or fail at the end" })
})

/**
 * Ends an attempt by what its agent calls back, whether it was left to the agent or a worker still reads its answer: one of them
 * ends it, and nothing of the other is written. Fails with WebhookSignatureInvalid, also where there is no such run, CallbackUnusable,
 * and CallbackNotAwaited for an attempt that does not last any more.
 */
export const receiveCallback = useCase("runs.receiveCallback")(function* <ReadError, ParseError>(
  command: ReceiveCallback<ReadError, ParseError>
) {
  const { headers, runId } = command
  const found = yield* findRun(runId)
  const raw = yield* command.read
  yield* demandSigned(found, { headers, raw })
  const callback = yield* command.parse(raw)
  const { agent, claimToken, run } = found
  if (run.status !== "running" || run.attempt !== callback.attempt || claimToken === null) {
    return yield* new CallbackNotAwaited()
  }
  yield* demandUsable(callback.lines)
  const { events, refused, state, turn } = yield* gathering(found)
  const outcome = yield* outcomeOf(turn, callback)
  const ending = endingOf(refused() ?? outcome, turn.redactor)
  const toolCalls = events.filter(({ type }) => type === "tool.started").length

  const settle = Effect.gen(function* () {
    const kept = state()
    const checkpoints = yield* CheckpointStore
    const settlement = yield* RunSettlement
    // Holds the session first, as every settlement does: `save` holds the run, and the other order could deadlock.
    yield* settlement.hold([{ runId, claimToken }])
    if (kept !== undefined) yield* checkpoints.save({ run, claimToken, state: kept, kept: true })
    const now = yield* DateTime.now
    const becomes = (current: Run) => Run.finished(current, ending, now)
    return yield* settleRuns([{ run, claimToken, becomes, events, agent, toolCalls }])
  })
  const [ended] = yield* atomic(settle)
  return ended ?? (yield* new CallbackNotAwaited())
})
