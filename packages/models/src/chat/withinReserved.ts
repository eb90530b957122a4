import { parseJson } from "@agent-platform/kernel"
import { Predicate } from "effect"
import type { OneRequest } from "./oneRequest.ts"

/** The smallest budget for thinking that Claude takes, and the smallest call that has room for it and for an answer. */
const THINKING_TOKENS_MIN = 1_024
export const THINKING_CALL_TOKENS_MIN = 2 * THINKING_TOKENS_MIN

type Fields = Readonly<Record<string, unknown>>

/** The budget for thinking that leaves a quarter for the answer. */
const budgetWithin = (outputTokensMax: number, budget: number): number =>
  Math.max(THINKING_TOKENS_MIN, Math.min(budget, Math.floor(outputTokensMax * 0.75)))

const isAbove = (tokens: unknown, outputTokensMax: number): boolean =>
  typeof tokens === "number" && tokens > outputTokensMax

/** The settings of thinking, with a budget that fits. */
const thinkingWithin = (thinking: unknown, outputTokensMax: number): unknown => {
  if (!Predicate.isObject(thinking)) return thinking
  const { budget_tokens } = thinking as Fields
  return typeof budget_tokens === "number"
    ? { ...thinking, budget_tokens: budgetWithin(outputTokensMax, budget_tokens) }
    : thinking
}

/**
 * The request with its tokens cut down to the bound; undefined where it fits as it is. Anthropic takes `max_tokens` and `thinking`,
 * Amazon's Converse `inferenceConfig`, with Claude's own members apart.
 */
const bounded = (asked: Fields, outputTokensMax: number): Fields | undefined => {
  const { additionalModelRequestFields, inferenceConfig, max_tokens, thinking } = asked
  if (isAbove(max_tokens, outputTokensMax)) {
    return { ...asked, max_tokens: outputTokensMax, thinking: thinkingWithin(thinking, outputTokensMax) }
  }
  if (!Predicate.isObject(inferenceConfig) || !isAbove((inferenceConfig as Fields)["maxTokens"], outputTokensMax)) {
    return undefined
  }
  const fields = (additionalModelRequestFields ?? {}) as Fields
  return {
    ...asked,
    inferenceConfig: { ...inferenceConfig, maxTokens: outputTokensMax },
    additionalModelRequestFields: { ...fields, thinking: thinkingWithin(fields["thinking"], outputTokensMax) }
  }
}

/**
 * The SDKs add the budget for Claude's thinking to the tokens that they are to ask for, whatever they are told. This takes the request
 * back to what was reserved, thinking included.
 */
export const withinReserved =
  (outputTokensMax: number, fetch: OneRequest["fetch"]): OneRequest["fetch"] =>
  (url, init = {}) => {
    const { body } = init
    const asked = typeof body === "string" ? parseJson(body) : undefined
    const fitting = Predicate.isObject(asked) ? bounded(asked as Fields, outputTokensMax) : undefined
    return fetch(url, fitting === undefined ? init : { ...init, body: JSON.stringify(fitting) })
  }
