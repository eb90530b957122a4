/** The conversation with which a turn begins. */
import type { Run, Turn } from "@agent-platform/runs"
import { Effect, Predicate, type Schema } from "effect"
import { ASK_USER } from "../tools/askUser.ts"
import { ChatFailed } from "./ChatFailed.ts"
import { type Conversation, openCalls, readConversation, userMessage, withToolResult } from "./Conversation.ts"
import { historyOf } from "./history.ts"
import { forModel, pastOf } from "./past.ts"

type Said = Pick<Run, "input" | "prompt">

/** The conversation with the run's message and input; undefined when it has neither. */
const withMessage = (conversation: Conversation, { input, prompt }: Said): Conversation | undefined =>
  (prompt ?? "") === "" && input === null
    ? undefined
    : { ...conversation, messages: [...conversation.messages, userMessage(prompt ?? "", input)] }

/**
 * The conversation in which a question was asked, with the reply to it. A state that was saved before the question has none in
 * it, and the reply goes on as any message. Its input is an object or null.
 */
const withReply = (asked: Conversation, said: Said): Conversation | undefined => {
  const question = openCalls(asked).find(({ toolName }) => toolName === ASK_USER)
  if (question === undefined) return withMessage(asked, said)
  const reply = Predicate.isObject(said.input) ? (said.input as Schema.JsonObject) : {}
  return withToolResult(asked, question, { isError: false, value: { answer: said.prompt ?? "", ...reply } })
}

/**
 * The beginning of a turn: where an earlier execution of it had come, or the session's turns so far and the run's message, which
 * answers the question that it resumes. Fails with ChatFailed where it has neither message nor input.
 */
export const beginTurn = Effect.fnUntraced(function* ({ agent, checkpoint, run }: Turn) {
  const model = agent.model ?? ""
  const left = readConversation(yield* checkpoint.load)
  if (left !== undefined) return forModel(left, model)
  const asked = readConversation(yield* checkpoint.ofQuestion)
  const kept = readConversation(yield* checkpoint.ofSession) ?? asked
  const leftUpTo = kept?.leftUpTo ?? null
  const before = { past: pastOf(kept, yield* historyOf(run, leftUpTo), asked?.runIds), leftUpTo, steps: 0, said: null }
  const begun =
    asked === undefined
      ? withMessage({ version: 2, model: kept?.model ?? model, runIds: [run.id], messages: [], ...before }, run)
      : withReply({ ...asked, ...before, runIds: [...asked.runIds, run.id] }, run)
  if (begun !== undefined) return forModel(begun, model)
  return yield* new ChatFailed({ errorCode: "invalid_input", error: "The run has neither a message nor an input" })
})
