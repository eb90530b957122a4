/** Makes a tool call of a model, logs it and gives the model its result. */
import { NESTING_MAX } from "@agent-platform/kernel"
import type { Redactor, Turn } from "@agent-platform/runs"
import { Clock, Effect, type Schema } from "effect"
import type { AgentTools } from "../tools/agentTools.ts"
import { ASK_USER, questionOf } from "../tools/askUser.ts"
import { cut, type ToolOutcome, toolFailure } from "../tools/Tool.ts"
import type { OpenCall, Question } from "./Conversation.ts"
import { UNREADABLE } from "./ReceivedAnswer.ts"

/** How much of a result the log holds, in characters. */
const SHOWN_LENGTH_MAX = 4_000

/** The outcome of a call: a result, or a question that ends the turn. */
export type ToolUse =
  | { readonly _tag: "Result"; readonly outcome: ToolOutcome }
  | { readonly _tag: "Question"; readonly question: Question }

/** A value as the log holds it. Redacted before it is cut: half of a secret would not be found. */
const shown = (value: Schema.Json, redactor: Redactor): Schema.Json =>
  cut(redactor.text(typeof value === "string" ? value : JSON.stringify(redactor.knownIn(value))), SHOWN_LENGTH_MAX).text

const FORM_OF_QUESTIONS = `${ASK_USER} takes {"question"}, a text, and optionally "options", texts, and "schema", an object`

/** The outcome of a call that names no tool of the agent or has no arguments; undefined for one that can be made. */
const misuse = (call: OpenCall, tools: AgentTools): string | undefined => {
  const { input, toolName } = call
  const known = [...tools.byName.keys(), ...(tools.asksUser ? [ASK_USER] : [])]
  if (!known.includes(toolName)) return `There is no tool '${toolName}'. There are: ${known.join(", ") || "none"}`
  const isUnreadable = typeof input === "object" && input !== null && UNREADABLE in input
  return isUnreadable ? `The arguments must be a JSON object of at most ${NESTING_MAX} levels` : undefined
}

/** Uses a tool. The model gets any failure as a failed result, and may go on. */
export const useTool = Effect.fnUntraced(function* (turn: Turn, tools: AgentTools, call: OpenCall) {
  const { redactor } = turn
  const fault = misuse(call, tools)
  const name = redactor.text(call.toolName).slice(0, 200)
  const about = { name, tool_call_id: call.toolCallId.slice(0, 200) }
  yield* turn.emit("tool.started", { ...about, arguments: shown(call.input, redactor) })
  if (call.toolName === ASK_USER && fault === undefined) {
    const question = questionOf(call)
    if (question !== undefined) return { _tag: "Question", question } satisfies ToolUse
  }
  const startedAt = yield* Clock.currentTimeMillis
  const tool = tools.byName.get(call.toolName)
  const used =
    fault === undefined && tool !== undefined
      ? yield* tool.call(call.input as Schema.JsonObject, call.toolCallId)
      : toolFailure(fault ?? FORM_OF_QUESTIONS)
  const outcome: ToolOutcome = { ...used, value: redactor.knownIn(used.value) }
  yield* turn.emit("tool.completed", {
    ...about,
    is_error: outcome.isError,
    truncated: outcome.truncated,
    duration_ms: (yield* Clock.currentTimeMillis) - startedAt,
    result: shown(outcome.value, redactor)
  })
  return { _tag: "Result", outcome } satisfies ToolUse
})
