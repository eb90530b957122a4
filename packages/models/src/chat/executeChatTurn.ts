/** One turn of a conversation, step by step: the model answers, its tool calls are made, and it answers again. */
import type { Turn, TurnOutcome } from "@agent-platform/runs"
import { Effect } from "effect"
import type { AgentTools } from "../tools/agentTools.ts"
import { agentFailed, ChatFailed } from "./ChatFailed.ts"
import {
  type Conversation,
  isDone,
  isSmallEnough,
  type OpenCall,
  openCalls,
  withAnswer,
  withToolResult,
  writeConversation
} from "./Conversation.ts"
import type { makeCallModel } from "./callModel.ts"
import { OUTPUT_TOKENS_MAX } from "./callOptions.ts"
import type { ModelRequest } from "./modelCall.ts"
import { textOf } from "./ReceivedAnswer.ts"
import { useTool } from "./useTool.ts"

/** Most answers of the model in one turn. */
export const STEPS_MAX = 64

/** The parts of one turn of the recipe. */
export interface ChatTurn {
  readonly turn: Turn
  readonly name: ModelRequest["name"]
  readonly tools: AgentTools
  readonly callModel: ReturnType<typeof makeCallModel>
}

/** The reason why the turn cannot go on with an answer; undefined where it can. */
const unusable = (
  { name }: ChatTurn,
  finishReason: string,
  { calls, text }: { readonly calls: number; readonly text: string }
): ChatFailed | undefined => {
  if (finishReason === "length") {
    const error = `The model's answer is longer than ${OUTPUT_TOKENS_MAX[name.provider]} tokens`
    return new ChatFailed({ errorCode: "output_too_large", error })
  }
  if (finishReason === "content-filter") return agentFailed("The provider held the model's answer back")
  return calls === 0 && text === "" ? agentFailed("The model answered with nothing") : undefined
}

const outcomeOf = ({ question, said }: Conversation): TurnOutcome =>
  question === null
    ? { _tag: "Succeeded", result: said, message: said }
    : { _tag: "Paused", message: question.message, interrupt: question.interrupt }

/** The conversation one step further: with the result of a call, or with the model's answer where none is open. */
const step = Effect.fnUntraced(function* (chat: ChatTurn, conversation: Conversation, call: OpenCall | undefined) {
  const { callModel, name, tools, turn } = chat
  if (call === undefined) {
    if (conversation.steps >= STEPS_MAX)
      return yield* agentFailed(`The model has not come to an end in ${STEPS_MAX} steps`)
    const system = turn.agent.instructions ?? ""
    const prompt = [...(system === "" ? [] : [{ role: "system" as const, content: system }]), ...conversation.messages]
    const { content, finishReason, requestId } = yield* callModel({ turn, name, prompt, tools: tools.described })
    const text = textOf(content)
    const calls = content.filter((part) => part.type === "tool-call").length
    if (text !== "") yield* turn.emit("message.completed", { text, request_id: requestId })
    const fault = unusable(chat, finishReason, { calls, text })
    if (fault !== undefined) return yield* fault
    return withAnswer(conversation, content, text)
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
      return outcomeOf(conversation)
    }
    if (isDone(conversation)) return outcomeOf(conversation)
    conversation = yield* step(chat, conversation, others[0])
    if (!isSmallEnough(conversation)) return yield* agentFailed("The conversation has become longer than 4 MiB")
    yield* chat.turn.checkpoint.save(writeConversation(conversation))
  }
})
