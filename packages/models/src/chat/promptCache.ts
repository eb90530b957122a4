/** Marks for Anthropic, which remembers what stands before them in a request; other providers remember by themselves. */
import type { LanguageModelV4FunctionTool, LanguageModelV4Message } from "@ai-sdk/provider"

interface Prompt {
  readonly prompt: ReadonlyArray<LanguageModelV4Message>
  readonly tools: ReadonlyArray<LanguageModelV4FunctionTool>
}

const MARK = { anthropic: { cacheControl: { type: "ephemeral" } } } as const

const mark = <Marked extends LanguageModelV4Message | LanguageModelV4FunctionTool>(one: Marked): Marked => ({
  ...one,
  providerOptions: { ...one.providerOptions, ...MARK }
})

const markedAt = <Item extends LanguageModelV4Message | LanguageModelV4FunctionTool>(
  items: ReadonlyArray<Item>,
  places: ReadonlySet<number>
): Array<Item> => items.map((item, place) => (places.has(place) ? mark(item) : item))

/**
 * The prompt with three marks, of the four that there may be: behind tools and instructions, which every conversation of the agent
 * has; behind the last message; and behind what the request before this one ended with, since more may have come since than the
 * provider looks back.
 */
export const withCacheMarks = ({ prompt, tools }: Prompt) => {
  const hasSystem = prompt[0]?.role === "system"
  const before = prompt.findLastIndex(({ role }) => role === "assistant") - 1
  const places = new Set([hasSystem ? 0 : -1, before, prompt.length - 1])
  return {
    prompt: markedAt(prompt, places),
    tools: markedAt(tools, new Set(hasSystem ? [] : [tools.length - 1]))
  }
}
