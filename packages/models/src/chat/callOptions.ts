/** The bounds of a model call: how many tokens are asked for, and how large an event of the answer may be. */
import type { ModelSettings } from "@agent-platform/runs"
import { dialectOf, type ModelName } from "./ModelName.ts"
import { thinksWithin } from "./reasoning.ts"
import { THINKING_CALL_TOKENS_MIN } from "./withinReserved.ts"

/**
 * Most tokens that a model is asked for at once unless an agent has its own bound: as many as every current model of the provider gives,
 * reasoning included.
 */
const OUTPUT_TOKENS_DEFAULT = {
  openai: 16_384,
  anthropic: 16_384,
  google: 8_192,
  azure: 16_384,
  bedrock: 4_096,
  vertex: 8_192,
  openai_compatible: 4_096
} as const

/** Fewer output tokens than these are of no use to a conversation: a call that caps leave less for is not made. */
const OUTPUT_TOKENS_MIN = 256

/**
 * Most bytes of one event of an answer, which a provider's SDK parses at once. OpenAI, also at Azure, repeats instructions,
 * tools and the whole answer in the last one. A compatible server is the workspace's own, and what it sends must not hold up anybody else.
 */
export const EVENT_BYTES_MAX = {
  openai: 4 * 1024 * 1024,
  anthropic: 1024 * 1024,
  google: 1024 * 1024,
  azure: 4 * 1024 * 1024,
  bedrock: 256 * 1024,
  vertex: 1024 * 1024,
  openai_compatible: 256 * 1024
} as const

/** How many tokens an answer may have, reasoning included, and with how few a call is of use. */
export const outputBounds = (name: ModelName, settings: ModelSettings) => {
  const isClaude = dialectOf(name) === "anthropic"
  const outputTokensMax = settings.maxOutputTokens ?? OUTPUT_TOKENS_DEFAULT[isClaude ? "anthropic" : name.provider]
  const useful = thinksWithin(name, settings) ? THINKING_CALL_TOKENS_MIN : OUTPUT_TOKENS_MIN
  return { outputTokensMax, outputTokensMin: Math.min(useful, outputTokensMax) }
}
