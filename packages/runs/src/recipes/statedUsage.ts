/** Model calls that are counted by what is stated of them: those of the recipe `demo`, and those that agents of one's own report. */
import { freshId, Uuid } from "@agent-platform/kernel"
import { DateTime, Effect, Schema } from "effect"
import { llmRequestData } from "../llmRequest.ts"
import type { Turn } from "../ports/AgentRunner.ts"
import { type CallPayer, type ModelCall, type ModelCallEnd, SpendGuard } from "../ports/SpendGuard.ts"
import { failedTurn, type TurnEnd } from "../Run.ts"

const Tokens = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 }))

const name = (longest: number) => Schema.NonEmptyString.check(Schema.isMaxLength(longest))

const statedFields = {
  provider: name(100).annotateKey({ description: "The model's provider" }),
  model: name(200).annotateKey({ description: "The model" }),
  input_tokens: Tokens.annotateKey({ description: "Tokens read, those of the cache included" }),
  output_tokens: Tokens.annotateKey({ description: "Tokens written, reasoning included" }),
  cache_read_tokens: Schema.optionalKey(Tokens).annotateKey({ description: "Of those read, from a cache" }),
  cache_write_tokens: Schema.optionalKey(Tokens).annotateKey({ description: "Of those read, written to a cache" }),
  reasoning_tokens: Schema.optionalKey(Tokens).annotateKey({ description: "Of those written, reasoning" })
}

/** The usage of a model call. `input_tokens` includes those of the cache, `output_tokens` includes reasoning. */
export const StatedUsage = Schema.Struct(statedFields)
export type StatedUsage = typeof StatedUsage.Type

/** A line of an agent that reports a call. */
export const UsageLine = Schema.Struct({
  type: Schema.Literal("usage").annotateKey({ description: "The kind of line" }),
  ...statedFields
}).check(
  Schema.makeFilter(
    (line) =>
      (line.cache_read_tokens ?? 0) + (line.cache_write_tokens ?? 0) <= line.input_tokens &&
      (line.reasoning_tokens ?? 0) <= line.output_tokens
  )
)

/** How a call is counted. */
export interface Counting {
  readonly payer: CallPayer
  /** The call's id, where the same report may come again; a fresh one unless given. */
  readonly id?: ModelCall["id"] | undefined
  /** Whether the call was made already: it is counted even where the caps refuse it. */
  readonly isReported: boolean
}

/** Makes a part of what cannot be interrupted interruptible again: `restore` of `Effect.uninterruptibleMask`. */
type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const endOf = (stated: StatedUsage, startedAt: DateTime.Utc): ModelCallEnd => ({
  status: "ok",
  errorCode: null,
  finishReason: "stop",
  responseModel: stated.model,
  startedAt,
  durationMillis: 0,
  timeToFirstTokenMillis: null,
  usage: {
    inputTokens: stated.input_tokens,
    cacheReadTokens: stated.cache_read_tokens ?? 0,
    cacheWriteTokens: stated.cache_write_tokens ?? 0,
    outputTokens: stated.output_tokens,
    reasoningTokens: stated.reasoning_tokens ?? 0
  },
  sent: true
})

const settle = Effect.fnUntraced(function* (turn: Turn, call: ModelCall, stated: StatedUsage, restore: Restore) {
  const guard = yield* SpendGuard
  const end = endOf(stated, yield* DateTime.now)
  const { costUsd } = yield* guard.settle(call, end)
  yield* restore(turn.emit("llm.request", llmRequestData(call, end, costUsd)))
})

const count = Effect.fnUntraced(function* (turn: Turn, stated: StatedUsage, counting: Counting, restore: Restore) {
  const guard = yield* SpendGuard
  const call: ModelCall = {
    id: counting.id ?? (yield* freshId(Uuid)),
    run: turn.run,
    provider: stated.provider,
    requestModel: stated.model,
    payer: counting.payer,
    inputTokensMax: stated.input_tokens,
    outputTokensMax: stated.output_tokens,
    outputTokensMin: stated.output_tokens,
    ...(counting.isReported ? { reported: "within_caps" as const } : {})
  }
  const refused = yield* restore(guard.reserve(call)).pipe(
    Effect.as(undefined),
    Effect.catchTag("SpendRefused", (refusal) => Effect.succeed(refusal))
  )
  if (refused !== undefined && !counting.isReported) return failedTurn(refused.errorCode, refused.detail)
  // The call was made already, so its money is spent: the ledger counts it whatever the caps say, and the run ends all the same.
  if (refused !== undefined) yield* Effect.orDie(guard.reserve({ ...call, reported: "whatever_caps" }))
  yield* settle(turn, call, stated, restore)
  return refused === undefined ? undefined : failedTurn(refused.errorCode, refused.detail)
})

/**
 * Counts a call under the caps, prices it and logs it. Returns the failure of the turn where the caps refuse it. An admitted call is
 * settled, even if the run is interrupted between the two.
 */
export const countStated = (
  turn: Turn,
  stated: StatedUsage,
  counting: Counting
): Effect.Effect<TurnEnd | undefined, never, SpendGuard | Effect.Services<ReturnType<typeof count>>> =>
  Effect.uninterruptibleMask((restore) => count(turn, stated, counting, restore))
