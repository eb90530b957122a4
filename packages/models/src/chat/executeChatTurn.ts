/** One turn of a conversation, step by step: the model answers, its tool calls are made side by side, and it answers again. */
import type { FinishReason, Turn, TurnOutcome } from "@agent-platform/runs"
import type { LanguageModelV4Message } from "@ai-sdk/provider"
import { Effect, type Schema } from "effect"
import { type AgentTools, originOf } from "../tools/agentTools.ts"
import { agentFailed, ChatFailed } from "./ChatFailed.ts"
import { type Conversation, isDone, withAnswer, withRepair, withToolResult } from "./Conversation.ts"
import type { makeCallModel } from "./callModel.ts"
import { type ShownContent, showContent, withContent } from "./content.ts"
import { conversationAfterRefusal } from "./conversationAfterRefusal.ts"
import { type DueCall, dueCallsOf, type Pause } from "./dueCalls.ts"
import { makeMisfits } from "./misfits.ts"
import type { ModelRequest } from "./modelCall.ts"
import { messagesFor } from "./past.ts"
import { makeProgress, type Progress } from "./progress.ts"
import { type SaidPart, textOf } from "./ReceivedAnswer.ts"
import { shortened } from "./shorten.ts"
import { repairRequest, structuredResult } from "./structuredResult.ts"
import { systemText } from "./systemText.ts"
import type { Unfit } from "./unfit.ts"
import { logStarted, useTool } from "./useTool.ts"

/** Most answers of the model in one turn. */
export const STEPS_MAX = 64

/** Most tools of one answer that work at once. */
export const TOOLS_AT_ONCE = 8

/** The parts of one turn of the recipe. */
export interface ChatTurn {
  readonly turn: Turn
  readonly name: ModelRequest["name"]
  readonly tools: AgentTools
  readonly callModel: ReturnType<typeof makeCallModel>
}

const isCall = (part: SaidPart): boolean => part.type === "tool-call"

/** Why the turn cannot go on with an answer, of which `content` is the usable part; undefined where it can. */
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

/**
 * The outcome of a turn that is done; `Differs` where the model's last words do not have the form that was asked for. The model is told
 * so once, and the second time the turn fails.
 */
const resultOf = ({ agent }: Turn, { finishReason, isRepaired, said }: Conversation) => {
  const { outputSchema } = agent.modelSettings
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

/** The conversation with the model's answer to it. */
const ask = Effect.fnUntraced(function* (
  { callModel, name, tools, turn }: ChatTurn,
  conversation: Conversation,
  contents: ShownContent
) {
  if (conversation.steps >= STEPS_MAX)
    return yield* agentFailed(`The model has not come to an end in ${STEPS_MAX} steps`)
  const system = systemText(turn.agent, tools)
  const messages = messagesFor(conversation, tools.described.length > 0)
  const prompt = [
    ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
    ...withContent(messages, contents)
  ]
  // Whether the model has not answered in this turn yet; earlier turns are in `past`.
  const isFirst = conversation.messages.every(({ role }) => role !== "assistant")
  const answer = yield* callModel({ turn, name, prompt, tools: tools.described, isFirst })
  const { finishReason } = answer
  // Of an answer that was cut off, the arguments of a call may be, too.
  const content = finishReason === "length" ? answer.content.filter((part) => !isCall(part)) : answer.content
  const text = textOf(content)
  const reasoning = textOf(content, "reasoning")
  if (reasoning !== "") yield* turn.emit("reasoning.completed", { text: reasoning, request_id: answer.requestId })
  if (text !== "") yield* turn.emit("message.completed", { text, request_id: answer.requestId })
  const fault = unusable(finishReason, content)
  if (fault !== undefined) return yield* fault
  return withAnswer(conversation, content, text, finishReason, (called) => originOf(tools, called))
})

/** Makes calls side by side. Each result is saved when it is there: a worker that dies repeats only those that had none. */
const makeCalls = ({ tools, turn }: ChatTurn, progress: Progress, due: ReadonlyArray<DueCall>) => {
  const handedOver = new Set(progress.current().handedOver)
  return Effect.forEach(
    due,
    (one) =>
      Effect.flatMap(useTool(turn, tools, one, handedOver.has(one.call.shownId)), (outcome) =>
        progress.change((conversation) => withToolResult(conversation, one.call, outcome))
      ),
    { concurrency: TOOLS_AT_ONCE, discard: true }
  )
}

/** Ends the turn on calls that others answer. */
const endOnPause = Effect.fnUntraced(function* (
  turn: Turn,
  progress: Progress,
  { handedOver, interrupt, message, turnIds }: Pause
) {
  const before = progress.current()
  const fresh = handedOver.filter(({ shownId }) => !before.handedOver.includes(shownId))
  yield* Effect.forEach(fresh, (call) => logStarted(turn, call), { discard: true })
  const ids = fresh.map(({ shownId }) => shownId)
  yield* progress.change((conversation) =>
    ids.length === 0 ? conversation : { ...conversation, handedOver: [...conversation.handedOver, ...ids] }
  )
  yield* turn.emit("interrupt.requested", { message, tool_call_ids: turnIds })
  return { _tag: "Paused", message, interrupt, finishReason: before.finishReason } satisfies TurnOutcome
})

/** The conversation with what the caller said while calls waited, behind their results. */
const withSaid = (conversation: Conversation, said: LanguageModelV4Message): Conversation => ({
  ...conversation,
  messages: [...conversation.messages, said],
  saidMeanwhile: null
})

/** Reads the content that was sent beside messages, once in an execution, and once more by the platform where the provider could not. */
const makeContentReader = ({ name, turn }: ChatTurn) => {
  let read: { readonly byPlatform: boolean; readonly contents: ShownContent } | undefined
  return Effect.fnUntraced(function* (conversation: Conversation) {
    const byPlatform = conversation.readsContent === true
    if (read?.byPlatform === byPlatform) return read.contents
    const contents = yield* showContent(turn, byPlatform ? "platform" : name.provider, messagesFor(conversation, true))
    read = { byPlatform, contents }
    return contents
  })
}

/**
 * Goes on with a conversation to the end of its turn. Every step is saved before the next one begins, so that no answer is
 * paid for twice. Calls that others answer end the turn once all that need nobody are made.
 */
export const executeChatTurn = Effect.fnUntraced(function* (chat: ChatTurn, from: Conversation) {
  const { tools, turn } = chat
  const progress = makeProgress(turn, from)
  const contentsOf = makeContentReader(chat)
  const misfitsOf = makeMisfits(tools)
  // The remedies that were tried since the model's last answer.
  const tried = new Set<Unfit>()
  while (true) {
    const conversation = progress.current()
    const { due, pause } = dueCallsOf(conversation, tools, turn.redactor, yield* misfitsOf(conversation))
    if (due.length > 0) {
      yield* makeCalls(chat, progress, due)
      continue
    }
    if (pause !== undefined) return yield* endOnPause(turn, progress, pause)
    const { saidMeanwhile } = conversation
    if (saidMeanwhile !== null) {
      yield* progress.change((current) => withSaid(current, saidMeanwhile))
      continue
    }
    if (isDone(conversation)) {
      const result = yield* resultOf(turn, conversation)
      if (result._tag !== "Differs") return result
      yield* turn.emit("log", { message: `The model is told of its result: ${result.detail}` })
      yield* progress.change((current) => withRepair(current, repairRequest(result.detail)))
      continue
    }
    const short = shortened(conversation)
    if (short !== conversation) yield* turn.emit("log", { message: "The conversation was shortened to make room" })
    const contents = yield* contentsOf(short)
    const next = yield* ask(chat, short, contents).pipe(
      Effect.tap(() => Effect.sync(() => tried.clear())),
      Effect.catchTag("MessagesRefused", (problem) =>
        conversationAfterRefusal(chat, { conversation: short, contents }, problem, tried)
      )
    )
    yield* progress.change(() => next)
  }
})
