import { Predicate } from "effect"
import { readJson } from "../ProviderAnswer.ts"
import type { OneRequest } from "./oneRequest.ts"

/** The smallest budget for thinking that Anthropic takes, and the smallest call that has room for it and for an answer. */
const THINKING_TOKENS_MIN = 1_024
export const THINKING_CALL_TOKENS_MIN = 2 * THINKING_TOKENS_MIN

/** The budget for thinking that leaves a quarter for the answer. */
const budgetWithin = (outputTokensMax: number, budget: number): number =>
  Math.max(THINKING_TOKENS_MIN, Math.min(budget, Math.floor(outputTokensMax * 0.75)))

/**
 * Anthropic's SDK adds the budget for thinking to the tokens that it is to ask for, whatever it is told. This takes the request back to
 * what was reserved, thinking included.
 */
export const withinReserved =
  (outputTokensMax: number, fetch: OneRequest["fetch"]): OneRequest["fetch"] =>
  (url, init = {}) => {
    const { body } = init
    const asked = typeof body === "string" ? readJson(body) : undefined
    if (!Predicate.isObject(asked)) return fetch(url, init)
    const { max_tokens, thinking } = asked as Readonly<Record<string, unknown>>
    if (typeof max_tokens !== "number" || max_tokens <= outputTokensMax) return fetch(url, init)
    const budget = Predicate.isObject(thinking) ? (thinking as { budget_tokens?: number }).budget_tokens : undefined
    const bounded =
      budget === undefined
        ? thinking
        : { ...(thinking as object), budget_tokens: budgetWithin(outputTokensMax, budget) }
    return fetch(url, { ...init, body: JSON.stringify({ ...asked, max_tokens: outputTokensMax, thinking: bounded }) })
  }
