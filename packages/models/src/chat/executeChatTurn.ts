/** One turn of a conversation, step by step: the model answers, its tool calls are made, and it answers again. */
import type { FinishReason, Turn, TurnOutcome } from "@agent-platform/runs"
import { Effect, type Schema } from "effect"
import type { AgentTools } from "../tools/agentTools.ts"
import { agentFailed, ChatFailed } from "./ChatFailed.ts"
import {
  type Conversation,
  isDone,
  isSmallEnough,
  type OpenCall,
  openCalls,
  withAnswer,
  withRepair,
  withToolResult,
  writeConversation
} from "./Conversation.ts"
import type { makeCallModel } from "./callModel.ts"
import { type ShownContent, withContent } from "./content.ts"
import type { ModelRequest } from "./modelCall.ts"
import { type SaidPart, textOf } from "./ReceivedAnswer.ts"
import { repairRequest, structuredResult } from "./structuredResult.ts"
import { systemText } from "./systemText.ts"
import { useTool } from "./useTool.ts"

/** Most answers of the model in one turn. */
export const STEPS_MAX = 64

/** The parts of one turn of the recipe. */
export interface ChatTurn {
  readonly turn: Turn
  readonly name: ModelRequest["name"]
  readonly tools: AgentTools
  readonly callModel: ReturnType<typeof makeCallModel>
  /** The content that was sent beside messages. */
  readonly contents: ShownContent
}

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter"
}

const isCall = (part: SaidPart): boolean => part.type === "tool-call"

/** The reason why the turn cannot go on with what is usable of an answer; undefined where it can. */
const unusable = (finishReason: FinishReason, content: ReadonlyArray<SaidPart>): ChatFailed | undefined => {
  if (finishReason === "content_filter") return agentFailed("The provider held the model's answer back")
  if (content.some(isCall) || textOf(content) !== "") return undefined
  return finishReason === "length"
    ? new ChatFailed({
        errorCode: "output_too_large",
        error: "The model reached its limit of tokens before its first word"
      })
    : agentFailed("The model answered with nothing")
}

/** The outcome by the model's last words, or how these differ from the form that was asked for, which it is told once. */
const resultOf = ({ turn }: ChatTurn, { finishReason, isRepaired, said }: Conversation) => {
  const { outputSchema } = turn.agent.modelSettings
  const succeeded = (result: Schema.Json): TurnOutcome => ({ _tag: "Succeeded", result, message: said, finishReason })
  if (outputSchema === undefined) return Effect.succeed(succeeded(said))
  const error = "The model reached its limit of tokens before its result was whole"
  if (finishReason === "length") return new ChatFailed({ errorCode: "output_too_large", error })
  const result = structuredResult(outputSchema, said)
  if (result._tag === "Fits") return Effect.succeed(succeeded(result.value))
  return isRepaired === true
    ? agentFailed(`The model's result does not have the form that was asked for: ${result.detail}`)
    : Effect.succeed(result)
}

/** The conversation one step further: with the result of a call, or with the model's answer where none is open. */
const step = Effect.fnUntraced(function* (chat: ChatTurn, conversation: Conversation, call: OpenCall | undefined) {
  const { callModel, contents, name, tools, turn } = chat
  if (call === undefined) {
    if (conversation.steps >= STEPS_MAX)
      return yield* agentFailed(`The model has not come to an end in ${STEPS_MAX} steps`)
    const system = systemText(turn.agent, tools)
    const prompt = [
      ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
      ...withContent(conversation.messages, contents)
    ]
    const answer = yield* callModel({ turn, name, prompt, tools: tools.described, isFirst: conversation.steps === 0 })
    const finishReason = FINISH_REASONS[answer.finishReason] ?? "other"
    // The arguments of an answer that was cut off may be as well.
    const content = finishReason === "length" ? answer.content.filter((part) => !isCall(part)) : answer.content
    const text = textOf(content)
    const reasoning = textOf(content, "reasoning")
    if (reasoning !== "") yield* turn.emit("reasoning.completed", { text: reasoning, request_id: answer.requestId })
    if (text !== "") yield* turn.emit("message.completed", { text, request_id: answer.requestId })
    const fault = unusable(finishReason, content)
    if (fault !== undefined) return yield* fault
    return withAnswer(conversation, content, text, finishReason)
  }
  const used = yield* useTool(turn, tools, call)
  if (used._tag === "Result") return withToolResult(conversation, call, used.outcome)
  if (conversation.question === null) return { ...conversation, question: used.question }
  return withToolResult(conversation, call, { isError: true, value: "Another question waits for its answer already" })
})

/**
 * Goes on with a conversation to the end of its turn. Every step is saved before the next one begins, so that no answer is
 * paid for twice. A question ends the turn once all other calls are made.
 */
export const executeChatTurn = Effect.fnUntraced(function* (chat: ChatTurn, from: Conversation) {
  let conversation = from
  while (true) {
    const asks = conversation.question
    const others = openCalls(conversation).filter(({ toolCallId }) => toolCallId !== asks?.toolCallId)
    if (asks !== null && others.length === 0) {
      yield* chat.turn.emit("interrupt.requested", { message: asks.message })
      const { finishReason } = conversation
      return { _tag: "Paused", message: asks.message, interrupt: asks.interrupt, finishReason } satisfies TurnOutcome
    }
    if (isDone(conversation)) {
      const result = yield* resultOf(chat, conversation)
      if (result._tag !== "Differs") return result
      yield* chat.turn.emit("log", { message: `The model is told of its result: ${result.detail}` })
      conversation = withRepair(conversation, repairRequest(result.detail))
    } else conversation = yield* step(chat, conversation, others[0])
    if (!isSmallEnough(conversation)) return yield* agentFailed("The conversation has become longer than 4 MiB")
    yield* chat.turn.checkpoint.save(writeConversation(conversation))
  }
})
