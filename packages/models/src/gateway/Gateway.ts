/** Models for agents of one's own, called by the same path as the recipe `chat` calls them. */

import type { Egress } from "@agent-platform/kernel"
import { atomic, Signals, type UnitOfWork } from "@agent-platform/kernel"
import type { ProviderKeys } from "@agent-platform/keys"
import {
  type ClaimedRun,
  type FinishReason,
  loggable,
  makeRedactor,
  type RunErrorCode,
  RunLog,
  runChanged,
  type SpendGuard,
  type Turn
} from "@agent-platform/runs"
import { untilDone } from "@agent-platform/toolkit"
import { Context, Data, DateTime, Effect, Layer } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { ChatFailed } from "../chat/ChatFailed.ts"
import { makeCallModel } from "../chat/callModel.ts"
import type { CallSettings, CallTools } from "../chat/modelCall.ts"
import type { SaidPart } from "../chat/ReceivedAnswer.ts"
import { makeRecentOutputs } from "../chat/recentOutputs.ts"
import type { CountedUsage } from "../chat/tokens.ts"
import { makeGoogleTokens } from "../vertex/googleTokens.ts"
import type { GatewayCall } from "./GatewayCall.ts"

/** The answer of a model. */
export interface GatewayAnswer {
  /** The call's id in the ledger and in the log of the run. */
  readonly requestId: string
  readonly content: ReadonlyArray<SaidPart>
  readonly finishReason: FinishReason
  /** The provider's count; undefined where it gave none. */
  readonly usage: CountedUsage | undefined
}

/** A piece of an answer that comes. */
export interface GatewayDelta {
  readonly kind: "text" | "reasoning"
  readonly requestId: string
  readonly text: string
}

/** No model answers, and why. */
export class GatewayFailed extends Data.TaggedError("GatewayFailed")<{
  readonly errorCode: RunErrorCode
  readonly detail: string
  /** Whether the provider refuses the request itself, so that it would refuse it again. */
  readonly isRefused: boolean
}> {}

const failedBy = ({ error, errorCode, isRefused = false }: ChatFailed) =>
  new GatewayFailed({ errorCode, detail: error, isRefused })

export type GatewayPorts =
  | Egress
  | ProviderKeys
  | RunLog
  | SecureRandom.SecureRandom
  | Signals
  | SpendGuard
  | UnitOfWork

/** Writes an event into the log of the attempt, unless that is over. */
const log = Effect.fnUntraced(function* ({ claimToken, run }: ClaimedRun, ...event: Parameters<Turn["emit"]>) {
  const [type, data] = event
  const runLog = yield* RunLog
  const signals = yield* Signals
  const entry = { type, data, attempt: run.attempt, createdAt: yield* DateTime.now }
  const append = Effect.andThen(
    runLog.append([{ runId: run.id, claimToken, events: [entry] }]),
    signals.raise(runChanged(run.id))
  )
  yield* untilDone("Logging a model call", atomic(append))
})

/**
 * A turn of the one call, for the path that the recipe `chat` shares. It keeps no conversation; the model's words go to `onDelta`, all
 * other events to the log by `write`.
 */
const turnOf = (
  attempt: ClaimedRun,
  { settings }: GatewayCall,
  onDelta: (delta: GatewayDelta) => Effect.Effect<void>,
  write: (...event: Parameters<Turn["emit"]>) => Effect.Effect<void>
): Turn => {
  const redactor = makeRedactor()
  const { promptCache = "auto" } = attempt.agent.modelSettings
  return {
    run: attempt.run,
    agent: { ...attempt.agent, modelSettings: { ...settings, promptCache } },
    redactor,
    emit: (type, data) => {
      if (type === "message.delta" || type === "reasoning.delta") {
        const { request_id, text } = data as { readonly request_id: string; readonly text: string }
        return onDelta({ kind: type === "message.delta" ? "text" : "reasoning", requestId: request_id, text })
      }
      const kept = loggable(data, redactor)
      return kept === undefined ? Effect.void : write(type, kept.data)
    },
    checkpoint: {
      load: Effect.undefined,
      ofQuestion: Effect.undefined,
      ofSession: Effect.undefined,
      save: () => Effect.void,
      keep: () => Effect.void
    }
  }
}

/** Calls models for the attempts of runs. */
export class Gateway extends Context.Service<
  Gateway,
  {
    /**
     * Asks a model under the keys, the caps and the ledger of the run's workspace. `onDelta` gets its words as they come. A model that
     * breaks off is not asked again once it has got one. Interrupted, it closes the request, which is settled as aborted.
     */
    readonly ask: (
      attempt: ClaimedRun,
      call: GatewayCall,
      onDelta?: (delta: GatewayDelta) => Effect.Effect<void>
    ) => Effect.Effect<GatewayAnswer, GatewayFailed>
  }
>()("@agent-platform/models/Gateway") {
  /** Loads the providers' SDKs with the first call. */
  static readonly layer = (settings: CallSettings): Layer.Layer<Gateway, never, GatewayPorts> =>
    Layer.effect(
      Gateway,
      Effect.gen(function* () {
        const ports = yield* Effect.context<GatewayPorts>()
        const googleTokens = yield* makeGoogleTokens(settings.urls.googleToken)
        const recentOutputs = makeRecentOutputs()
        const loaded = yield* Effect.cached(
          Effect.map(
            Effect.promise(() => import("../chat/languageModel.ts")),
            ({ languageModelOf }) => {
              const tools: CallTools = { ...settings, languageModelOf, googleTokens, recentOutputs }
              return makeCallModel(tools)
            }
          )
        )
        return Gateway.of({
          ask: Effect.fnUntraced(
            function* (attempt, call, onDelta) {
              let hasSpoken = false
              const passOn = (delta: GatewayDelta) => {
                if (onDelta === undefined) return Effect.void
                hasSpoken = true
                return onDelta(delta)
              }
              const write = (...event: Parameters<Turn["emit"]>) => Effect.provideContext(log(attempt, ...event), ports)
              const { name, prompt, tools } = call
              const callModel = yield* loaded
              const answer = yield* callModel({
                turn: turnOf(attempt, call, passOn, write),
                name,
                prompt,
                tools,
                isFirst: true,
                isLogged: false,
                mayRepeat: () => !hasSpoken
              })
              const { content, finishReason, requestId, usage } = answer
              return { requestId, content, finishReason, usage }
            },
            Effect.catchTags({
              ChatFailed: (failed) => Effect.fail(failedBy(failed)),
              MessagesRefused: ({ failed }) => Effect.fail(failedBy(failed))
            }),
            Effect.provideContext(ports)
          )
        })
      })
    )
}
