import { freshId, Uuid } from "@agent-platform/kernel"
import { makeBind } from "@agent-platform/toolkit"
import { DateTime, Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { llmRequestData } from "../llmRequest.ts"
import type { Turn } from "../ports/AgentRunner.ts"
import { type ModelCall, type ModelCallEnd, SpendGuard } from "../ports/SpendGuard.ts"
import { failedTurn, type TurnOutcome } from "../Run.ts"

const Tokens = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 }))

/** A model call that is only paid for. `input_tokens` includes those of the cache, `output_tokens` includes reasoning. */
export const SpendStep = Schema.Struct({
  provider: Schema.NonEmptyString.check(Schema.isMaxLength(100)),
  model: Schema.NonEmptyString.check(Schema.isMaxLength(200)),
  input_tokens: Tokens,
  output_tokens: Tokens,
  cache_read_tokens: Schema.optionalKey(Tokens),
  cache_write_tokens: Schema.optionalKey(Tokens),
  reasoning_tokens: Schema.optionalKey(Tokens)
})

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Pays for one call; returns the failure of the turn where the call must not be made. */
export type Spend = (turn: Turn, step: typeof SpendStep.Type) => Effect.Effect<TurnOutcome | undefined>

const endOf = (step: typeof SpendStep.Type, startedAt: DateTime.Utc): ModelCallEnd => ({
  status: "ok",
  errorCode: null,
  finishReason: "stop",
  responseModel: step.model,
  startedAt,
  durationMillis: 0,
  timeToFirstTokenMillis: null,
  usage: {
    inputTokens: step.input_tokens,
    cacheReadTokens: step.cache_read_tokens ?? 0,
    cacheWriteTokens: step.cache_write_tokens ?? 0,
    outputTokens: step.output_tokens,
    reasoningTokens: step.reasoning_tokens ?? 0
  },
  sent: true
})

const pay = Effect.fnUntraced(function* (turn: Turn, step: typeof SpendStep.Type, restore: Restore) {
  const guard = yield* SpendGuard
  const call: ModelCall = {
    id: yield* freshId(Uuid),
    run: turn.run,
    provider: step.provider,
    requestModel: step.model,
    payer: { source: "platform" },
    inputTokensMax: step.input_tokens,
    outputTokensMax: step.output_tokens,
    outputTokensMin: step.output_tokens
  }
  yield* restore(guard.reserve(call))
  const end = endOf(step, yield* DateTime.now)
  const { costUsd } = yield* guard.settle(call, end)
  yield* restore(turn.emit("llm.request", llmRequestData(call, end, costUsd)))
  return undefined
})

const spend = (turn: Turn, step: typeof SpendStep.Type) =>
  // An admitted call is settled, even if the run is interrupted between the two.
  Effect.uninterruptibleMask((restore) =>
    Effect.catch(pay(turn, step, restore), ({ detail, errorCode }) => Effect.succeed(failedTurn(errorCode, detail)))
  )

/** Makes the function that executes a step `spend`: it reserves and settles a call as recipes do, but asks no model. */
export const makeSpend = Effect.map(makeBind(SpendGuard, SecureRandom.SecureRandom), (bind): Spend => bind(spend))
