/** Makes a tool call of a model, logs it and gives the model its result. */
import { NESTING_MAX } from "@agent-platform/kernel"
import type { Redactor, Turn } from "@agent-platform/runs"
import { Clock, Effect, type Schema } from "effect"
import type { AgentTools } from "../tools/agentTools.ts"
import { ASK_USER, FORM_OF_QUESTIONS, questionOf } from "../tools/askUser.ts"
import { cut, type ToolOutcome, toolFailure } from "../tools/Tool.ts"
import type { OpenCall } from "./Conversation.ts"
import { UNREADABLE } from "./ReceivedAnswer.ts"

/** How much of a result the log holds, in characters. */
const SHOWN_LENGTH_MAX = 4_000

/** A value as the log holds it. Redacted before it is cut: half of a secret would not be found. */
const shown = (value: Schema.Json, redactor: Redactor): Schema.Json =>
  cut(redactor.text(typeof value === "string" ? value : JSON.stringify(redactor.knownIn(value))), SHOWN_LENGTH_MAX).text

/** The reason why a call cannot be made, for the model; undefined for one that can. */
export const misuseOf = (call: OpenCall, tools: AgentTools): string | undefined => {
  const { input, toolName } = call
  const known = [...tools.byName.keys(), ...(tools.asksUser ? [ASK_USER] : [])]
  if (!known.includes(toolName)) return `There is no tool '${toolName}'. There are: ${known.join(", ") || "none"}`
  const isUnreadable = typeof input === "object" && input !== null && UNREADABLE in input
  if (isUnreadable) return `The arguments must be a JSON object of at most ${NESTING_MAX} levels`
  return toolName === ASK_USER && questionOf(call) === undefined ? FORM_OF_QUESTIONS : undefined
}

/** The name and the id of a call, as the log has them. */
const aboutCall = (call: OpenCall, redactor: Redactor) => ({
  name: redactor.text(call.toolName).slice(0, 200),
  tool_call_id: call.toolCallId.slice(0, 200)
})

/** Logs that a call has begun. */
export const logStarted = ({ emit, redactor }: Turn, call: OpenCall) =>
  emit("tool.started", { ...aboutCall(call, redactor), arguments: shown(call.input, redactor) })

/** Makes a call, or gives back the fault in it. The model gets any failure as a failed result, and may go on. */
export const useTool = Effect.fnUntraced(function* (
  turn: Turn,
  tools: AgentTools,
  call: OpenCall,
  fault: string | undefined
) {
  const { redactor } = turn
  yield* logStarted(turn, call)
  const startedAt = yield* Clock.currentTimeMillis
  const tool = tools.byName.get(call.toolName)
  const used =
    fault === undefined && tool !== undefined
      ? yield* tool.call(call.input as Schema.JsonObject)
      : toolFailure(fault ?? `The tool '${call.toolName}' cannot be called`)
  const outcome: ToolOutcome = { ...used, value: redactor.knownIn(used.value) }
  yield* turn.emit("tool.completed", {
    ...aboutCall(call, redactor),
    is_error: outcome.isError,
    truncated: outcome.truncated,
    duration_ms: (yield* Clock.currentTimeMillis) - startedAt,
    result: shown(outcome.value, redactor)
  })
  return outcome
})
