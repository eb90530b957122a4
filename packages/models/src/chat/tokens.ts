import { normaliseUsage, type UsageDialect } from "@agent-platform/billing"
import type { Usage } from "@agent-platform/runs"
import type { LanguageModelV4FilePart, LanguageModelV4Prompt, LanguageModelV4Usage } from "@ai-sdk/provider"

/** The provider's count. */
export type CountedUsage = Omit<Usage, "requests">

/** Most tokens of a kind that one call is believed to have: far more than any model takes in or gives back. */
const TOKENS_MAX = 1_000_000_000

const isCount = (tokens: number | undefined): tokens is number =>
  Number.isSafeInteger(tokens) && tokens !== undefined && tokens >= 0 && tokens <= TOKENS_MAX

const partOf = (whole: number, part: number | undefined): number => (isCount(part) ? Math.min(part, whole) : 0)

/**
 * A provider's count in our words; undefined where it did not count, or says what cannot be. Input includes what was read from
 * and written to a cache, output includes reasoning.
 */
export const countedUsage = (dialect: UsageDialect, usage: LanguageModelV4Usage): CountedUsage | undefined => {
  const { inputTokens, outputTokens } = usage
  const [input, output] = [inputTokens.total, outputTokens.total]
  // First for all of them: `normaliseUsage` takes what is no count for zero.
  if (!isCount(input) || !isCount(output)) return undefined
  // Its SDK knows one way to count; compatible servers have several.
  if (dialect === "openai_compatible") {
    const counted = normaliseUsage(dialect, usage.raw)
    return isCount(counted?.inputTokens) && isCount(counted?.outputTokens) ? counted : undefined
  }
  const cacheReadTokens = partOf(input, inputTokens.cacheRead)
  return {
    inputTokens: input,
    cacheReadTokens,
    cacheWriteTokens: partOf(input - cacheReadTokens, inputTokens.cacheWrite),
    outputTokens: output,
    reasoningTokens: partOf(output, outputTokens.reasoning)
  }
}

/** The tokens that a provider adds around a conversation, generously. */
const OVERHEAD_TOKENS = 256

/** Bytes of UTF-8 taken for one token: prose has 4, code 3, the scripts of East Asia from 2 on. Noise may have fewer. */
const BYTES_PER_TOKEN = 2

const encoder = new TextEncoder()

/** The length of a text in bytes of UTF-8. */
export const bytesOf = (text: string): number => encoder.encode(text).length

/** A request's input tokens, estimated from above for the reservation of its cost. The provider's count is what is settled. */
export const inputTokensMax = (...sent: ReadonlyArray<unknown>): number =>
  OVERHEAD_TOKENS + Math.ceil(bytesOf(JSON.stringify(sent)) / BYTES_PER_TOKEN)

/** Most tokens of an image, by the model that counts the most for one, and of a document. */
const IMAGE_TOKENS_MAX = 50_000
const DOCUMENT_TOKENS_MAX = 300_000

/** Documents are compressed: a character of one in base64 may be two tokens. */
const DOCUMENT_TOKENS_MIN = 4_000
const TOKENS_PER_CHARACTER = 2

const fileTokensMax = ({ data, mediaType }: LanguageModelV4FilePart): number => {
  if (mediaType.startsWith("image/")) return IMAGE_TOKENS_MAX
  // The length of a document at an address is not known.
  if (data.type !== "data" || typeof data.data !== "string") return DOCUMENT_TOKENS_MAX
  return Math.min(DOCUMENT_TOKENS_MAX, DOCUMENT_TOKENS_MIN + TOKENS_PER_CHARACTER * data.data.length)
}

/** The same for a prompt, whose images and documents are not counted by their bytes. */
export const promptTokensMax = (prompt: LanguageModelV4Prompt, ...sent: ReadonlyArray<unknown>): number => {
  const isFile = (part: { readonly type: string }): part is LanguageModelV4FilePart => part.type === "file"
  const files = prompt.flatMap(({ content, role }) => (role === "user" ? content.filter(isFile) : []))
  const words = prompt.map((message) =>
    message.role === "user" ? { ...message, content: message.content.filter((part) => !isFile(part)) } : message
  )
  return files.reduce((sum, file) => sum + fileTokensMax(file), inputTokensMax(words, ...sent))
}

/** Tokens of reasoning that nobody is shown: few models give more in a second. */
const UNSEEN_TOKENS_PER_SECOND = 200

/**
 * The output tokens of an answer that was cut off, estimated from above by what arrived of it and by how long the model was at it.
 */
export const outputTokensSeen = (arrivedBytes: number, millis: number): number =>
  Math.ceil(arrivedBytes / BYTES_PER_TOKEN) + Math.ceil((Math.max(0, millis) * UNSEEN_TOKENS_PER_SECOND) / 1_000)
