/** The conversation with which a turn begins. */
import {
  type ApprovalReply,
  type CallReplies,
  historyOf,
  type Run,
  readCallReplies,
  schemaMismatchOf,
  type Turn
} from "@agent-platform/runs"
import { Effect, Predicate, type Schema } from "effect"
import { type AgentTools, schemaOf } from "../tools/agentTools.ts"
import { ASK_USER } from "../tools/askUser.ts"
import { ChatFailed } from "./ChatFailed.ts"
import {
  type CallReply,
  type Conversation,
  type OpenCall,
  openCalls,
  readConversation,
  userMessage,
  withInput
} from "./Conversation.ts"
import { hasContent, withMark } from "./content.ts"
import { forModel, pastOf } from "./past.ts"

/** The message and the input that a run was triggered with. */
type Sent = Pick<Run, "id" | "input" | "prompt">

/** The conversation with the run's message and input; undefined when it has neither. */
const withMessage = (conversation: Conversation, { id, input, prompt }: Sent): Conversation | undefined =>
  (prompt ?? "") === "" && input === null
    ? undefined
    : { ...conversation, messages: [...conversation.messages, withMark(userMessage(prompt ?? "", input), id)] }

/** A reply to a question as what the tool that asked it gives back. Its input is an object or null. */
const answerOf = ({ input, prompt }: Sent): CallReply => ({
  _tag: "Result",
  isError: false,
  value: { answer: prompt ?? "", ...(Predicate.isObject(input) ? (input as Schema.JsonObject) : {}) }
})

const NOT_ANSWERED: CallReply = {
  _tag: "Result",
  isError: true,
  value: "There is no result: the user has said something else instead"
}

/** A decision about a call. Arguments that are given with it are held to the schema of its tool. */
const decided = (call: OpenCall, { decision, input, reason }: ApprovalReply, tools: AgentTools): CallReply => {
  if (decision === "deny") {
    return { _tag: "Denied", reason: `The call was denied${reason === undefined ? "" : `: ${reason}`}` }
  }
  const detail = input && schemaMismatchOf(schemaOf(tools, call.toolName) ?? null, input)
  return detail === undefined
    ? { _tag: "Approved" }
    : { _tag: "Unfit", detail: `The input given does not fit: ${detail}` }
}

/** The conversation with what a reply says to its calls. */
const withCallReplies = (
  paused: Conversation,
  { approvals = [], toolResults = [] }: CallReplies,
  tools: AgentTools
) => {
  const open = new Map(openCalls(paused).map((call) => [call.shownId, call]))
  const replies: Record<string, CallReply> = { ...paused.replies }
  let conversation = paused
  for (const result of toolResults) {
    const value = "error" in result ? result.error : result.output
    if (open.has(result.toolCallId)) replies[result.toolCallId] = { _tag: "Result", isError: "error" in result, value }
  }
  for (const approval of approvals) {
    const call = open.get(approval.toolCallId)
    if (call === undefined) continue
    const reply = decided(call, approval, tools)
    replies[approval.toolCallId] = reply
    if (reply._tag === "Approved" && approval.input !== undefined) {
      conversation = withInput(conversation, call.toolCallId, approval.input)
    }
  }
  return { ...conversation, replies }
}

/**
 * The conversation that paused on open calls, with the reply to it. A reply to a single question is its answer. Any other may answer calls
 * by its input; if it has a text, this goes to the model, and the calls that are still unanswered count as failed. A state that was
 * saved before the pause has no open calls, and the reply is a message.
 */
const withReply = (paused: Conversation, sent: Sent, tools: AgentTools): Conversation | undefined => {
  const open = openCalls(paused)
  const [first, ...others] = open
  if (first === undefined) return withMessage(paused, sent)
  if (others.length === 0 && first.toolName === ASK_USER) {
    return { ...paused, replies: { [first.shownId]: answerOf(sent) } }
  }
  const answered = withCallReplies(paused, readCallReplies(sent.input), tools)
  if ((sent.prompt ?? "") === "") return answered
  const unanswered = open.filter(({ shownId }) => {
    const reply = answered.replies[shownId]
    return reply === undefined || reply._tag === "Unfit"
  })
  const failedReplies = Object.fromEntries(unanswered.map(({ shownId }) => [shownId, NOT_ANSWERED]))
  const { data = null, decision = null } = (sent.input ?? {}) as Readonly<Record<string, Schema.Json>>
  const beside = decision === null && data === null ? null : { decision, data }
  return {
    ...answered,
    replies: { ...answered.replies, ...failedReplies },
    saidMeanwhile: withMark(userMessage(sent.prompt ?? "", beside), sent.id)
  }
}

/**
 * The conversation with the images and files that came with a reply. They belong to the reply's message; a reply that only answers calls
 * has none, so that it gets one here, behind the results.
 */
const withContentOf = Effect.fnUntraced(function* (run: Run, conversation: Conversation) {
  const hasMessage = openCalls(conversation).length === 0 || conversation.saidMeanwhile !== null
  if (hasMessage || !(yield* hasContent(run))) return conversation
  return { ...conversation, saidMeanwhile: withMark(userMessage("Sent with the answer:", null), run.id) }
})

/**
 * The beginning of a turn: how far an earlier execution of it had come; or the paused turn that it resumes, with the reply; or the
 * session's turns so far and the run's message. Fails with ChatFailed where it has neither message nor input.
 */
export const beginTurn = Effect.fnUntraced(function* ({ agent, checkpoint, run }: Turn, tools: AgentTools) {
  const model = agent.model ?? ""
  const underWay = readConversation(yield* checkpoint.load)
  if (underWay !== undefined) return forModel(underWay, model)
  const paused = readConversation(yield* checkpoint.ofQuestion)
  const kept = readConversation(yield* checkpoint.ofSession) ?? paused
  const leftOutUpTo = kept?.leftOutUpTo ?? null
  const beginning = {
    past: pastOf(kept, yield* historyOf(run, leftOutUpTo), paused?.runIds),
    leftOutUpTo,
    steps: 0,
    said: null,
    isRepaired: false,
    isReduced: false,
    readsContent: kept?.readsContent === true
  }
  const noCalls = { messages: [], replies: {}, handedOver: [], origins: {}, saidMeanwhile: null }
  const begun =
    paused === undefined
      ? withMessage({ version: 2, model: kept?.model ?? model, runIds: [run.id], ...noCalls, ...beginning }, run)
      : withReply({ ...paused, ...beginning, runIds: [...paused.runIds, run.id] }, run, tools)
  if (begun !== undefined) return forModel(paused === undefined ? begun : yield* withContentOf(run, begun), model)
  return yield* new ChatFailed({ errorCode: "invalid_input", error: "The run has neither a message nor an input" })
})
