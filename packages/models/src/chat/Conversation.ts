/** The messages of a session so far, as a model gets them and as a checkpoint keeps them. */
import type { FinishReason, RunId } from "@agent-platform/runs"
import type { LanguageModelV4Message } from "@ai-sdk/provider"
import type { Schema } from "effect"
import type { ToolOutcome } from "../tools/Tool.ts"
import type { SaidPart } from "./ReceivedAnswer.ts"
import { shownIds } from "./shownIds.ts"
import { bytesOf } from "./tokens.ts"

/** The result of a tool call, for the model. */
export type ToolResult = Pick<ToolOutcome, "isError" | "value">

/** A turn that is over, as the model gets it again. */
export interface PastTurn {
  /** Its run, behind those whose pauses it resumed. */
  readonly runIds: ReadonlyArray<RunId>
  readonly messages: ReadonlyArray<LanguageModelV4Message>
}

/** A reply to a call of the last answer: its result, or a decision. */
export type CallReply =
  | ({ readonly _tag: "Result" } & ToolResult)
  | { readonly _tag: "Approved" }
  | { readonly _tag: "Denied"; readonly reason: string }
  /** Approved with arguments that are none for the tool, for the reason `detail`: it still waits. */
  | { readonly _tag: "Unfit"; readonly detail: string }

/** A conversation at the end of a step. It is JSON. */
export interface Conversation extends PastTurn {
  /** The form of this state. A checkpoint that holds another is read as none. */
  readonly version: 2
  /** The model that has answered in it, as `provider/model`: another has no use for its reasoning. */
  readonly model: string
  /** The turns before this one, oldest first. */
  readonly past: ReadonlyArray<PastTurn>
  /** The last run whose turn was left out to make room; null while none was. */
  readonly leftOutUpTo: RunId | null
  /** The replies to calls of the last answer, by their `shownId`, by which the next two members name calls, too. */
  readonly replies: Readonly<Record<string, CallReply>>
  /** The calls that the caller was asked to make. Their beginning is in the log already. */
  readonly handedOver: ReadonlyArray<string>
  /** Which tools the last answer called for: when a call is made, its name may have become another tool's. */
  readonly origins: Readonly<Record<string, string>>
  /** The message of the caller that comes behind the results; null for none. */
  readonly saidMeanwhile: LanguageModelV4Message | null
  /** Answers of the model in this turn. */
  readonly steps: number
  /** The model's last words in this turn; null while there are none. */
  readonly said: string | null
  /** Whether the model was told that its result does not have the form that was asked for. */
  readonly isRepaired?: boolean
  /** Whether something was left out of it that its provider refused. */
  readonly isReduced?: boolean
  /** Whether the platform reads all content, because there was an address that the provider could not read. */
  readonly readsContent?: boolean
  /** Why its last answer ended. */
  readonly finishReason?: FinishReason
}

/** Most bytes of JSON of a conversation; a longer one fails its turn. */
export const CONVERSATION_BYTES_MAX = 4 * 1024 * 1024

/** How many bytes of JSON a conversation has, by its messages and the tools that they call for: the rest is small. */
export const conversationBytes = ({ messages, origins, past }: Conversation): number =>
  bytesOf(JSON.stringify([past, messages, origins]))

/** The conversation that a checkpoint holds; undefined where it holds none that can be read. */
export const readConversation = (state: Schema.Json | undefined): Conversation | undefined =>
  typeof state === "object" && state !== null && "version" in state && state["version"] === 2
    ? (state as unknown as Conversation)
    : undefined

/** The state from which `readConversation` gives the conversation back. */
export const writeConversation = (conversation: Conversation): Schema.Json => conversation as unknown as Schema.Json

/** A caller's words and data. */
export const userMessage = (text: string, data: Schema.Json): LanguageModelV4Message => ({
  role: "user",
  content: [
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...(data === null ? [] : [{ type: "text" as const, text: JSON.stringify(data) }])
  ]
})

const resultOutput = ({ isError, value }: ToolResult) =>
  typeof value === "string"
    ? { type: isError ? ("error-text" as const) : ("text" as const), value }
    : { type: isError ? ("error-json" as const) : ("json" as const), value: value as never }

type Messages = Pick<PastTurn, "messages">

/** The last answer of the model, and where it stands; undefined where there is none. */
const lastAnswer = ({ messages }: Messages) => {
  const place = messages.findLastIndex(({ role }) => role === "assistant")
  const answer = messages[place]
  return answer?.role === "assistant"
    ? { place, calls: answer.content.filter((part) => part.type === "tool-call") }
    : undefined
}

/** The parts behind an answer that are results of its calls. */
const resultsBehind = ({ messages }: Messages, place: number) =>
  messages
    .slice(place + 1)
    .flatMap((message) => (message.role === "tool" ? message.content : []))
    .filter((part) => part.type === "tool-result")

/** A tool call without a result yet. */
export type OpenCall = Extract<SaidPart, { readonly type: "tool-call" }> & {
  /** Its id for everybody but the provider, among the calls of its answer. */
  readonly shownId: string
  /** Its id among all calls of the turn, the same in each execution and run that goes on with it. A provider's own may come again. */
  readonly turnId: string
}

/** The calls of the last answer without a result yet, first called first. */
export const openCalls = (turn: Messages): ReadonlyArray<OpenCall> => {
  const answer = lastAnswer(turn)
  if (answer === undefined) return []
  const done = new Set(resultsBehind(turn, answer.place).map(({ toolCallId }) => toolCallId))
  const ids = shownIds(answer.calls.map(({ toolCallId }) => toolCallId))
  const step = turn.messages.filter(({ role }) => role === "assistant").length
  return answer.calls.flatMap((call, place) => {
    const shownId = ids[place] ?? ""
    return done.has(call.toolCallId) ? [] : [{ ...call, shownId, turnId: `${step}.${shownId}` } as OpenCall]
  })
}

/**
 * The turn with the result of a call of its last answer. Results of one answer stand together in one message, in the order of
 * the calls, whichever came first.
 */
export const withToolResult = <Turn extends Messages>(
  turn: Turn,
  { toolCallId, toolName }: Pick<OpenCall, "toolCallId" | "toolName">,
  result: ToolResult
): Turn => {
  const { calls, place } = lastAnswer(turn) ?? { calls: [], place: turn.messages.length - 1 }
  const part = { type: "tool-result" as const, toolCallId, toolName, output: resultOutput(result) }
  const order = new Map(calls.map((call, index) => [call.toolCallId, index]))
  const content = [...resultsBehind(turn, place), part].sort(
    (one, other) => (order.get(one.toolCallId) ?? 0) - (order.get(other.toolCallId) ?? 0)
  )
  return { ...turn, messages: [...turn.messages.slice(0, place + 1), { role: "tool", content }] }
}

/** The conversation in which the model is told what is wrong with its result. */
export const withRepair = (conversation: Conversation, request: string): Conversation => ({
  ...conversation,
  messages: [...conversation.messages, userMessage(request, null)],
  isRepaired: true
})

/** The conversation with an answer of the model. `originOf`: which tool has a name. */
export const withAnswer = (
  conversation: Conversation,
  content: ReadonlyArray<SaidPart>,
  text: string,
  finishReason: FinishReason,
  originOf: (toolName: string) => string | undefined
): Conversation => {
  const messages = [...conversation.messages, { role: "assistant" as const, content: [...content] }]
  const origins = openCalls({ messages }).flatMap(({ shownId, toolName }) => {
    const origin = originOf(toolName)
    return origin === undefined ? [] : [[shownId, origin] as const]
  })
  return {
    ...conversation,
    steps: conversation.steps + 1,
    messages,
    replies: {},
    handedOver: [],
    origins: Object.fromEntries(origins),
    said: text === "" ? conversation.said : text,
    finishReason
  }
}

/** The turn with other arguments of an open call, as if the model had given them. */
export const withInput = <Turn extends Messages>(turn: Turn, toolCallId: string, input: Schema.JsonObject): Turn => {
  const { place = -1 } = lastAnswer(turn) ?? {}
  const messages = turn.messages.map((message, index) =>
    index === place && message.role === "assistant"
      ? {
          ...message,
          content: message.content.map((part) =>
            part.type === "tool-call" && part.toolCallId === toolCallId ? { ...part, input } : part
          )
        }
      : message
  )
  return { ...turn, messages }
}

/** Whether the model has the last word, and called for nothing. */
export const isDone = (conversation: Conversation): boolean =>
  conversation.messages.at(-1)?.role === "assistant" && openCalls(conversation).length === 0
