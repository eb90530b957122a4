/** Parts of messages in the words of OpenAI, as the SDKs of all providers take them. */
import type { Provider } from "@agent-platform/keys"
import { IMAGE_TYPES } from "@agent-platform/runs"
import type { LanguageModelV4FilePart, LanguageModelV4Message } from "@ai-sdk/provider"
import { Predicate } from "effect"
import { FETCHED_FOR } from "../chat/content.ts"
import { UNREADABLE } from "../chat/ReceivedAnswer.ts"
import { objectIn, textAt, unfit } from "./reading.ts"

type UserPart = Extract<LanguageModelV4Message, { readonly role: "user" }>["content"][number]

/** The beginning of a data URL, looked for in its first characters alone: the rest may be megabytes. */
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+);base64,/

const DATA_URL_HEAD_LENGTH = 100

const IMAGES: ReadonlySet<string> = new Set(IMAGE_TYPES)

/** An image by its address, or in a data URL. */
export const imagePart = (given: unknown, at: string, provider: Provider): UserPart => {
  const url = textAt(given, at)
  const mediaType = DATA_URL.exec(url.slice(0, DATA_URL_HEAD_LENGTH))?.[1]
  if (mediaType !== undefined) {
    if (!IMAGES.has(mediaType)) return unfit(at, `must be one of ${[...IMAGES].join(", ")}`)
    return { type: "file", mediaType, data: { type: "data", data: url.slice(url.indexOf(",") + 1) } }
  }
  const parsed = URL.parse(url)
  if (parsed?.protocol !== "https:") return unfit(at, "must be an https URL, or a data URL in base64")
  if (FETCHED_FOR.has(provider)) return unfit(at, `must be a data URL in base64 for models of ${provider}`)
  return { type: "file", mediaType: "image/*", data: { type: "url", url: parsed } }
}

/** A PDF in a data URL. */
export const filePart = (data: unknown, filename: unknown, at: string): UserPart => {
  const url = textAt(data, at)
  const mediaType = DATA_URL.exec(url.slice(0, DATA_URL_HEAD_LENGTH))?.[1]
  if (mediaType !== "application/pdf") return unfit(at, "must be a data URL in base64 of application/pdf")
  const part: LanguageModelV4FilePart = {
    type: "file",
    mediaType,
    data: { type: "data", data: url.slice(url.indexOf(",") + 1) }
  }
  return typeof filename === "string" ? { ...part, filename } : part
}

/** A call for a tool that a model has made before. */
export const callPart = (toolCallId: string, toolName: string, text: string) => ({
  type: "tool-call" as const,
  toolCallId,
  toolName,
  // Arguments that are no object, or have integers that reading would change, are shown to the model as the text that it wrote.
  input: objectIn(text) ?? { [UNREADABLE]: text }
})

/** The arguments of a call as a caller gets them: those that could not be read are the model's own text. */
export const argumentsText = (input: unknown): string => {
  const text = Predicate.isObject(input) ? (input as { readonly [UNREADABLE]?: unknown })[UNREADABLE] : undefined
  return typeof text === "string" && objectIn(text) === undefined ? text : JSON.stringify(input)
}

/** The result of a call. */
export const resultPart = (toolCallId: string, toolName: string, value: string) => ({
  type: "tool-result" as const,
  toolCallId,
  toolName,
  output: { type: "text" as const, value }
})

/** The messages with all results that follow each other in one, and all answers likewise, as providers want them. */
export const joined = (messages: ReadonlyArray<LanguageModelV4Message>): Array<LanguageModelV4Message> => {
  const all: Array<LanguageModelV4Message> = []
  for (const message of messages) {
    const last = all.at(-1)
    if (last?.role === "tool" && message.role === "tool") last.content.push(...message.content)
    else if (last?.role === "assistant" && message.role === "assistant") last.content.push(...message.content)
    else all.push(message)
  }
  return all
}
