/** Answers as providers send them, in the wire form of chat completions. */
import { type Answer, broken, events, hanging } from "./ScriptedServer.ts"

const chunk = (delta: unknown, finish: string | null = null) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_790_000_000,
  model: "small-2026-01-01",
  choices: [{ index: 0, delta, finish_reason: finish }]
})

/** The provider's count, unless a test says otherwise. */
export const USAGE = {
  prompt_tokens: 120,
  completion_tokens: 30,
  total_tokens: 150,
  prompt_tokens_details: { cached_tokens: 100 },
  completion_tokens_details: { reasoning_tokens: 10 }
}

const counted = (usage: unknown) => ({ ...chunk({}), choices: [], usage })

/** Words, one after another. */
export const words = (...text: ReadonlyArray<string>) => text.map((content) => chunk({ role: "assistant", content }))

/** An answer of words. */
export const says = (...text: ReadonlyArray<string>): Answer =>
  events(...words(...text), chunk({}, "stop"), counted(USAGE), "[DONE]")

/** An answer with reasoning before its words. */
export const thinks = (reasoning: string, text: string): Answer =>
  events(
    chunk({ role: "assistant", reasoning_content: reasoning }),
    ...words(text),
    chunk({}, "stop"),
    counted(USAGE),
    "[DONE]"
  )

/** An answer that ends for this reason. */
export const endsWith = (reason: string, text: string): Answer =>
  events(...words(text), chunk({}, reason), counted(USAGE), "[DONE]")

/** An answer that calls for tools. */
export const calls = (
  ...tools: ReadonlyArray<{ readonly id: string; readonly name: string; readonly input: unknown }>
): Answer =>
  events(
    chunk({
      role: "assistant",
      tool_calls: tools.map(({ id, input, name }, index) => ({
        index,
        id,
        type: "function",
        function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input) }
      }))
    }),
    chunk({}, "tool_calls"),
    counted(USAGE),
    "[DONE]"
  )

/** Words, and then nothing for ever. */
export const saysAndHangs = (...text: ReadonlyArray<string>): Answer => hanging(...words(...text))

/** Words, and then the end of the connection. */
export const saysAndBreaks = (...text: ReadonlyArray<string>): Answer => broken(...words(...text))
