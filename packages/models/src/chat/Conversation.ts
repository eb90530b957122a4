/** The messages of a session so far, as a model gets them and as a checkpoint keeps them. */
import type { FinishReason, Run, SessionMessage } from "@agent-platform/runs"
import type { LanguageModelV4Message } from "@ai-sdk/provider"
import { Predicate, type Schema } from "effect"
import type { ToolOutcome } from "../tools/Tool.ts"
import { withMark } from "./content.ts"
import type { SaidPart } from "./ReceivedAnswer.ts"

/** The question that a turn ended on. */
export interface Question {
  /** The call of the tool that asked; the reply is its result. */
  readonly toolCallId: string
  readonly message: string
  readonly interrupt: Schema.Json
}

/** A conversation at the end of a step. It is JSON. */
export interface Conversation {
  readonly version: 1
  /** Answers of the model in this turn. */
  readonly steps: number
  readonly messages: ReadonlyArray<LanguageModelV4Message>
  /** The model's last words in this turn; null while there are none. */
  readonly said: string | null
  /** Whether the model was told that its result does not have the form that was asked for. */
  readonly isRepaired?: boolean
  /** Why its last answer ended. */
  readonly finishReason?: FinishReason
  readonly question: Question | null
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
  return (first === -1 ? [] : said.slice(first)).map(({ reply, role, runId, text }) =>
    role === "user"
      ? withMark(userMessage(text, reply), runId)
      : { role: "assistant", content: [{ type: "text", text }] }
  )
}

/** The beginning of a turn: the earlier messages, and the run's message and input. Undefined when it has neither. */
export const beginning = (
  past: ReadonlyArray<LanguageModelV4Message>,
  { id, input, prompt }: Pick<Run, "id" | "input" | "prompt">
): Conversation | undefined =>
  (prompt ?? "") === "" && input === null
    ? undefined
    : {
        version: 1,
        steps: 0,
        messages: [...past, withMark(userMessage(prompt ?? "", input), id)],
        said: null,
        question: null
      }

type ToolResult = Pick<ToolOutcome, "isError" | "value">

const resultOutput = ({ isError, value }: ToolResult) =>
  typeof value === "string"
    ? { type: isError ? ("error-text" as const) : ("text" as const), value }
    : { type: isError ? ("error-json" as const) : ("json" as const), value: value as never }

/** The conversation with the result of a tool call. Results of one answer stand together in one message. */
export const withToolResult = (
  conversation: Conversation,
  { toolCallId, toolName }: { readonly toolCallId: string; readonly toolName: string },
  result: ToolResult
): Conversation => {
  const part = { type: "tool-result" as const, toolCallId, toolName, output: resultOutput(result) }
  const last = conversation.messages.at(-1)
  const messages: ReadonlyArray<LanguageModelV4Message> =
    last?.role === "tool"
      ? [...conversation.messages.slice(0, -1), { ...last, content: [...last.content, part] }]
      : [...conversation.messages, { role: "tool", content: [part] }]
  return { ...conversation, messages }
}

/** The conversation in which the model is told what is wrong with its result. */
export const withRepair = (conversation: Conversation, request: string): Conversation => ({
  ...conversation,
  messages: [...conversation.messages, userMessage(request, null)],
  isRepaired: true
})

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
export const resume = (asked: Conversation, toolName: string, run: Pick<Run, "id" | "input" | "prompt">) => {
  const { input, prompt } = run
  const before: Conversation = { ...asked, steps: 0, said: null, question: null, isRepaired: false }
  if (asked.question === null) return beginning(before.messages, run)
  const reply = Predicate.isObject(input) ? (input as Schema.JsonObject) : {}
  const { toolCallId } = asked.question
  return withToolResult(before, { toolCallId, toolName }, { isError: false, value: { answer: prompt ?? "", ...reply } })
}

/** The conversation with what was sent beside the reply to its question. */
export const withReplyContent = (conversation: Conversation, { id }: Pick<Run, "id">): Conversation => ({
  ...conversation,
  messages: [...conversation.messages, withMark(userMessage("Sent with the answer:", null), id)]
})

/** A tool call without a result yet. */
export type OpenCall = Extract<SaidPart, { readonly type: "tool-call" }>

/** The calls of the last answer without a result yet, first called first. */
export const openCalls = ({ messages }: Conversation): ReadonlyArray<OpenCall> => {
  const place = messages.findLastIndex(({ role }) => role === "assistant")
  const answer = messages[place]
  if (answer?.role !== "assistant") return []
  const done = new Set(
    messages
      .slice(place + 1)
      .flatMap((message) => (message.role === "tool" ? message.content : []))
      .flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : []))
  )
  return answer.content.flatMap((part) =>
    part.type === "tool-call" && !done.has(part.toolCallId) ? [part as OpenCall] : []
  )
}

/** Whether the model has the last word, and called for nothing. */
export const isDone = (conversation: Conversation): boolean =>
  conversation.messages.at(-1)?.role === "assistant" && openCalls(conversation).length === 0
