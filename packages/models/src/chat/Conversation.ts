/** The messages of a session so far, as a model gets them and as a checkpoint keeps them. */
import type { FinishReason, Run, SessionMessage } from "@agent-platform/runs"
import type { LanguageModelV4Message } from "@ai-sdk/provider"
import { Predicate, type Schema } from "effect"
import type { ToolOutcome } from "../tools/Tool.ts"
import type { SaidPart } from "./ReceivedAnswer.ts"

/** A conversation at the end of a step. It is JSON. */
export interface Conversation {
  readonly version: 1
  /** Answers of the model in this turn. */
  readonly steps: number
  readonly messages: ReadonlyArray<LanguageModelV4Message>
  /** The model's last words in this turn; null while there are none. */
  readonly said: string | null
  /** Why its last answer ended. */
  readonly finishReason?: FinishReason
}

/** Most bytes of JSON of a conversation; a longer one fails its turn. */
export const CONVERSATION_BYTES_MAX = 4 * 1024 * 1024

/** Whether the conversation is short enough to go on with, by its messages: the rest is small. */
export const isSmallEnough = (conversation: Conversation): boolean =>
  new TextEncoder().encode(JSON.stringify(conversation.messages)).length <= CONVERSATION_BYTES_MAX

/** The conversation that a checkpoint holds; undefined where it holds none that can be read. */
export const readConversation = (state: Schema.Json | undefined): Conversation | undefined =>
  typeof state === "object" && state !== null && "version" in state && state["version"] === 1
    ? (state as unknown as Conversation)
    : undefined

/** As `readConversation` gives it back. */
export const writeConversation = (conversation: Conversation): Schema.Json => conversation as unknown as Schema.Json

const userMessage = (text: string, data: Schema.Json): LanguageModelV4Message => ({
  role: "user",
  content: [
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...(data === null ? [] : [{ type: "text" as const, text: JSON.stringify(data) }])
  ]
})

/** Earlier turns as messages, oldest first. What an agent said before anybody else did is left out: providers want a user first. */
export const pastMessages = (said: ReadonlyArray<SessionMessage>): ReadonlyArray<LanguageModelV4Message> => {
  const first = said.findIndex(({ role }) => role === "user")
  return (first === -1 ? [] : said.slice(first)).map(({ reply, role, text }) =>
    role === "user" ? userMessage(text, reply) : { role: "assistant", content: [{ type: "text", text }] }
  )
}

/** The beginning of a turn: the earlier messages, and the run's message and input. Undefined when it has neither. */
export const beginning = (
  past: ReadonlyArray<LanguageModelV4Message>,
  { input, prompt }: Pick<Run, "input" | "prompt">
): Conversation | undefined =>
  (prompt ?? "") === "" && input === null
    ? undefined
    : { version: 1, steps: 0, messages: [...past, userMessage(prompt ?? "", input)], said: null }

type ToolResult = Pick<ToolOutcome, "isError" | "value">

const resultOutput = ({ isError, value }: ToolResult) =>
  typeof value === "string"
    ? { type: isError ? ("error-text" as const) : ("text" as const), value }
    : { type: isError ? ("error-json" as const) : ("json" as const), value: value as never }

/** The last answer of the model, and where it stands; undefined where there is none. */
const lastAnswer = ({ messages }: Pick<Conversation, "messages">) => {
  const place = messages.findLastIndex(({ role }) => role === "assistant")
  const answer = messages[place]
  return answer?.role === "assistant"
    ? { place, calls: answer.content.filter((part) => part.type === "tool-call") }
    : undefined
}

/** The parts behind an answer that are results of its calls. */
const resultsBehind = ({ messages }: Pick<Conversation, "messages">, place: number) =>
  messages
    .slice(place + 1)
    .flatMap((message) => (message.role === "tool" ? message.content : []))
    .filter((part) => part.type === "tool-result")

/**
 * The conversation with the result of a call of the last answer. Results of one answer stand together in one message, in the
 * order of the calls, whichever came first.
 */
export const withToolResult = (
  conversation: Conversation,
  { toolCallId, toolName }: Pick<OpenCall, "toolCallId" | "toolName">,
  result: ToolResult
): Conversation => {
  const { calls, place } = lastAnswer(conversation) ?? { calls: [], place: conversation.messages.length - 1 }
  const part = { type: "tool-result" as const, toolCallId, toolName, output: resultOutput(result) }
  const order = new Map(calls.map((call, index) => [call.toolCallId, index]))
  const content = [...resultsBehind(conversation, place), part].sort(
    (one, other) => (order.get(one.toolCallId) ?? 0) - (order.get(other.toolCallId) ?? 0)
  )
  return { ...conversation, messages: [...conversation.messages.slice(0, place + 1), { role: "tool", content }] }
}

/** The conversation with an answer of the model. */
export const withAnswer = (
  conversation: Conversation,
  content: ReadonlyArray<SaidPart>,
  text: string,
  finishReason: FinishReason
): Conversation => ({
  ...conversation,
  steps: conversation.steps + 1,
  messages: [...conversation.messages, { role: "assistant", content: [...content] }],
  said: text === "" ? conversation.said : text,
  finishReason
})

/**
 * The conversation in which a question was asked, with the reply to it: the beginning of the turn that it resumes. A state
 * that was saved before the question has none in it, and the reply goes on as any message. Its input is an object or null.
 */
export const resume = (asked: Conversation, toolName: string, { input, prompt }: Pick<Run, "input" | "prompt">) => {
  const before: Conversation = { ...asked, steps: 0, said: null }
  const question = openCalls(asked).find((call) => call.toolName === toolName)
  if (question === undefined) return beginning(before.messages, { input, prompt })
  const reply = Predicate.isObject(input) ? (input as Schema.JsonObject) : {}
  return withToolResult(before, question, { isError: false, value: { answer: prompt ?? "", ...reply } })
}

/** A tool call without a result yet. */
export type OpenCall = Extract<SaidPart, { readonly type: "tool-call" }>

/** The calls of the last answer without a result yet, first called first. */
export const openCalls = (conversation: Pick<Conversation, "messages">): ReadonlyArray<OpenCall> => {
  const answer = lastAnswer(conversation)
  if (answer === undefined) return []
  const done = new Set(resultsBehind(conversation, answer.place).map(({ toolCallId }) => toolCallId))
  return answer.calls.filter(({ toolCallId }) => !done.has(toolCallId)) as ReadonlyArray<OpenCall>
}

/** Whether the model has the last word, and called for nothing. */
export const isDone = (conversation: Conversation): boolean =>
  conversation.messages.at(-1)?.role === "assistant" && openCalls(conversation).length === 0
