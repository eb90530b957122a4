/** Marks for providers that remember what stands before them in a request; others remember by themselves. */
import type { LanguageModelV4FunctionTool, LanguageModelV4Message, SharedV4ProviderOptions } from "@ai-sdk/provider"
import { dialectOf, type ModelName } from "./ModelName.ts"
import { bedrockReasoner } from "./reasoning.ts"

interface Prompt {
  readonly prompt: ReadonlyArray<LanguageModelV4Message>
  readonly tools: ReadonlyArray<LanguageModelV4FunctionTool>
}

const ANTHROPIC = { anthropic: { cacheControl: { type: "ephemeral" } } } as const
const BEDROCK = { bedrock: { cachePoint: { type: "default" } } } as const

/** The families at Amazon Bedrock that take marks beside the Claude that reasons. Others refuse a request that has one. */
const MARKED_AT_BEDROCK = /\b(?:anthropic\.claude-3-5-haiku|amazon\.nova)-/

const isMarkedAtBedrock = (model: string): boolean =>
  bedrockReasoner(model) === "claude" || MARKED_AT_BEDROCK.test(model)

/** The mark that a model takes; undefined for one that takes none. */
const markFor = (name: ModelName): SharedV4ProviderOptions | undefined => {
  if (dialectOf(name) === "anthropic") return ANTHROPIC
  return name.provider === "bedrock" && isMarkedAtBedrock(name.model) ? BEDROCK : undefined
}

const markedAt = <Item extends LanguageModelV4Message | LanguageModelV4FunctionTool>(
  items: ReadonlyArray<Item>,
  places: ReadonlySet<number>,
  mark: SharedV4ProviderOptions
): Array<Item> =>
  items.map((item, place) =>
    places.has(place) ? { ...item, providerOptions: { ...item.providerOptions, ...mark } } : item
  )

/**
 * The prompt with three marks; a provider takes four at most. One is behind tools and instructions, which every conversation of the agent
 * has; one behind the last message; and one where the request before this one ended, because the provider looks back only so far, and
 * more may have come since. A model that takes no marks gets none.
 */
export const withCacheMarks = (name: ModelName, { prompt, tools }: Prompt) => {
  const mark = markFor(name)
  if (mark === undefined) return { prompt: [...prompt], tools: [...tools] }
  const hasSystem = prompt[0]?.role === "system"
  const endOfLastRequest = prompt.findLastIndex(({ role }) => role === "assistant") - 1
  // -1 is the place of no message.
  const places = new Set([hasSystem ? 0 : -1, endOfLastRequest, prompt.length - 1])
  return {
    prompt: markedAt(prompt, places, mark),
    tools: markedAt(tools, new Set(hasSystem ? [] : [tools.length - 1]), mark)
  }
}
