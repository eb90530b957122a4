/** One request to a model: reserved, sent, received and settled, whatever its outcome. */
import { Egress, freshId, Uuid } from "@agent-platform/kernel"
import type { KeyCandidate } from "@agent-platform/keys"
import {
  llmRequestData,
  type ModelCall,
  type ModelCallEnd,
  type SeenTokens,
  SpendGuard,
  type SpendRefused,
  type Turn
} from "@agent-platform/runs"
import { untilDone } from "@agent-platform/toolkit"
import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from "@ai-sdk/provider"
import { Cause, Clock, DateTime, Effect, Exit, Redacted } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { ProviderUrls } from "../EgressProviderProbe.ts"
import type { GoogleTokens } from "../vertex/googleTokens.ts"
import { type CallOutcome, canHaveWorked, errorCodeOf, finishReasonOf, isMadeUp, outcomeOf } from "./CallOutcome.ts"
import { EVENT_BYTES_MAX, outputBounds } from "./callOptions.ts"
import { credentialOf } from "./credentialOf.ts"
import { makeDeltas } from "./deltas.ts"
import type { languageModelOf } from "./languageModel.ts"
import { logOfProvider } from "./logOfProvider.ts"
import { type ModelName, providerName } from "./ModelName.ts"
import { modelOptions } from "./modelOptions.ts"
import { makeOneRequest, type OneRequest } from "./oneRequest.ts"
import { withCacheMarks } from "./promptCache.ts"
import { makeReceivedAnswer } from "./ReceivedAnswer.ts"
import { readStream, StreamBroken, type StreamTimeouts } from "./readStream.ts"
import { thinksWithin } from "./reasoning.ts"
import type { RecentOutputs } from "./recentOutputs.ts"
import { outputTokensSeen, promptTokensMax } from "./tokens.ts"
import { withinReserved } from "./withinReserved.ts"

/** Most bytes of a model's answer on the wire. */
const ANSWER_BYTES_MAX = 32 * 1024 * 1024

/** The longest that one request lasts, in milliseconds, however steadily the model talks. */
const CALL_MILLIS_MAX = 20 * 60_000

/** The timeouts of models unless a deployment sets others. */
export const STREAM_TIMEOUTS: StreamTimeouts = { firstMillis: 300_000, nextMillis: 120_000 }

/** The content of a request to a model, the same with every key. */
export interface ModelRequest {
  readonly turn: Turn
  readonly name: ModelName
  readonly prompt: LanguageModelV4CallOptions["prompt"]
  readonly tools: ReadonlyArray<LanguageModelV4FunctionTool>
  /** Whether it asks for the model's first answer of the turn. */
  readonly isFirst: boolean
  /** Whether its words go into the run's log, with secrets redacted; true unless given. */
  readonly isLogged?: boolean | undefined
  /** Whether a model that breaks off may still be asked again; always unless given. */
  readonly mayRepeat?: (() => boolean) | undefined
}

/** The settings of a deployment for calls. */
export interface CallSettings {
  readonly urls: ProviderUrls
  readonly timeouts?: StreamTimeouts | undefined
}

/** With the providers' SDKs. Only processes that execute runs load them. */
export interface CallTools extends CallSettings {
  readonly languageModelOf: typeof languageModelOf
  readonly googleTokens: GoogleTokens
  readonly recentOutputs: RecentOutputs
}

/** The state of a request so far. */
interface CallState {
  readonly call: ModelCall
  startedAt: DateTime.Utc
  /** When it was sent, by the same clock as its end, and how long its first word took, in milliseconds. */
  sentMillis: number
  firstMillis: number | null
  readonly received: ReturnType<typeof makeReceivedAnswer>
  request: OneRequest | undefined
  isReserved: boolean
}

/** The tokens that were seen of a call that its provider did not count. */
const seenOf = ({ received, sentMillis }: CallState, now: number): SeenTokens => ({
  inputTokensMax: received.inputTokens(),
  // The whole time, not that before the first word alone: a model may reason unseen at any moment of its answer.
  outputTokensMax: outputTokensSeen(received.bytes(), now - sentMillis)
})

/** Sends a request whose cost is reserved, and receives its answer. */
const sendRequest = Effect.fnUntraced(function* (
  settings: CallTools,
  request: ModelRequest,
  candidate: KeyCandidate,
  state: CallState,
  maxOutputTokens: number
) {
  const { isFirst, name, turn } = request
  const { modelSettings } = turn.agent
  const { call, received } = state
  const timeouts = settings.timeouts ?? STREAM_TIMEOUTS
  state.isReserved = true
  // The wait for the reservation does not count as the provider's time.
  state.startedAt = yield* DateTime.now
  state.sentMillis = yield* Clock.currentTimeMillis
  const credential = yield* credentialOf(settings.googleTokens, candidate)
  if (credential._tag !== "Usable") return credential
  turn.redactor.add(Redacted.value(credential.value))
  const opened = yield* makeOneRequest(yield* Egress, {
    // Some seconds more than the run may last, so that it is the run's own limit that ends it.
    deadlineMillis: Math.min(CALL_MILLIS_MAX, turn.run.maxDurationSeconds * 1000 + 5_000),
    // A little longer than the reading waits, so that a silent model ends by its timeout, not as a failed connection.
    silenceMillis: Math.max(timeouts.firstMillis, timeouts.nextMillis) + 1_000,
    bytesMax: ANSWER_BYTES_MAX,
    eventBytesMax: EVENT_BYTES_MAX[name.provider],
    isFramed: name.provider === "bedrock"
  })
  state.request = opened
  const deltasOf = (type: "message.delta" | "reasoning.delta") =>
    makeDeltas((text) => turn.emit(type, { text, request_id: call.id }), request.isLogged !== false)
  const words = { text: deltasOf("message.delta"), reasoning: deltasOf("reasoning.delta") }
  const onFirst = Effect.map(Clock.currentTimeMillis, (now) => {
    state.firstMillis = now - state.sentMillis
  })
  // For some ways of thinking the SDKs ask for more tokens than they are told: such a request is cut to what was reserved.
  const fetch = thinksWithin(name, modelSettings) ? withinReserved(maxOutputTokens, opened.fetch) : opened.fetch
  const model = settings.languageModelOf({ ...candidate, value: credential.value }, name, settings.urls, fetch)
  const isCached = modelSettings.promptCache !== "off"
  const { prompt, tools } = isCached
    ? withCacheMarks(name, request)
    : { prompt: request.prompt, tools: [...request.tools] }
  const about = { hasTools: tools.length > 0, isFirst, sessionId: turn.run.sessionId }
  const thrown = yield* Effect.tryPromise({
    try: (abortSignal) =>
      Promise.resolve(
        model.doStream({
          prompt,
          maxOutputTokens,
          includeRawChunks: true,
          abortSignal,
          ...(tools.length === 0 ? {} : { tools }),
          ...modelOptions(name, modelSettings, about)
        })
      ),
    catch: () =>
      new StreamBroken({
        code: "stream_broken",
        detail: `${name.provider} could not be asked, or answered what cannot be read`
      })
  }).pipe(
    Effect.flatMap(({ stream }) => readStream(stream, { received, words, onFirst }, timeouts)),
    Effect.match({ onFailure: (problem) => problem, onSuccess: () => undefined })
  )
  yield* words.reasoning.flush
  yield* words.text.flush
  const { provider } = name
  if (isFirst) yield* Effect.forEach(received.warnings(), (message) => logOfProvider(turn, provider, message))
  return outcomeOf(opened.sent, received, {
    provider: name.provider,
    requestId: call.id,
    key: credential.value,
    thrown
  })
}, Effect.scoped)

/** Settles what was reserved by what was seen of the request, and logs the request. */
const settle = Effect.fnUntraced(function* (
  { recentOutputs }: CallTools,
  turn: Turn,
  state: CallState,
  exit: Exit.Exit<CallOutcome, SpendRefused>
) {
  // Refused by the caps: nothing was reserved.
  if (Exit.isFailure(exit) && Cause.hasFails(exit.cause)) return
  const guard = yield* SpendGuard
  const now = yield* Clock.currentTimeMillis
  const { call, firstMillis, received, isReserved, request, sentMillis, startedAt } = state
  const outcome = Exit.isSuccess(exit) ? exit.value : undefined
  const finish = received.finish()
  // A stream that began by refusing the messages: the provider has not worked on them.
  const isRefusedInStream = received.unfit() !== undefined && received.bytes() === 0
  const end: ModelCallEnd = {
    status: outcome === undefined ? "aborted" : outcome._tag === "Answered" ? "ok" : "error",
    errorCode: outcome === undefined ? null : errorCodeOf(outcome),
    finishReason: finish === undefined ? null : finishReasonOf(finish.reason),
    responseModel: received.responseModel(),
    startedAt,
    durationMillis: now - sentMillis,
    timeToFirstTokenMillis: firstMillis,
    // Where the stream broke off, only a count of the whole answer that the provider gave before.
    usage: received.isBroken() || isMadeUp(finish) ? received.counted() : finish?.usage,
    seen: seenOf(state, now),
    sent: request !== undefined && canHaveWorked(request.sent) && !isRefusedInStream
  }
  if (end.usage !== undefined) recentOutputs.add(call, end.usage.outputTokens)
  // Interrupted while it reserved: the reservation may exist all the same. Nothing was sent, so the log gets no entry.
  if (!isReserved) return yield* Effect.ignoreCause(guard.settle(call, end))
  const { costUsd } = yield* untilDone("Settling a model call", guard.settle(call, end))
  yield* turn.emit("llm.request", llmRequestData(call, end, costUsd))
})

/**
 * Makes one request with one key. Its words are logged as they come; the request is in the log once it is settled. Fails with
 * SpendRefused before anything is sent. Interrupted, it closes the connection and is settled as aborted.
 */
export const makeModelCall = (settings: CallTools) =>
  Effect.fnUntraced(function* (
    request: ModelRequest,
    candidate: KeyCandidate
  ): Effect.fn.Return<CallOutcome, SpendRefused, Egress | SpendGuard | SecureRandom.SecureRandom> {
    const guard = yield* SpendGuard
    const { name, prompt, tools, turn } = request
    const { modelSettings } = turn.agent
    const named = { run: turn.run, provider: providerName(name.provider), requestModel: name.model }
    const call: ModelCall = {
      id: yield* freshId(Uuid),
      ...named,
      payer: candidate.key === null ? { source: "platform" } : { source: "byok", keyId: candidate.key.id },
      inputTokensMax: promptTokensMax(
        prompt,
        tools,
        modelSettings.outputSchema ?? null,
        modelSettings.providerOptions ?? null
      ),
      ...outputBounds(name, modelSettings),
      outputTokensUsual: settings.recentOutputs.usual(named)
    }
    const state: CallState = {
      call,
      startedAt: yield* DateTime.now,
      sentMillis: yield* Clock.currentTimeMillis,
      firstMillis: null,
      received: makeReceivedAnswer(name),
      request: undefined,
      isReserved: false
    }
    const made = Effect.flatMap(guard.reserve(call), (admitted) =>
      sendRequest(settings, request, candidate, state, admitted.outputTokensMax)
    )
    return yield* Effect.onExit(made, (exit) => settle(settings, turn, state, exit))
  })
