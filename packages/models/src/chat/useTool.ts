/** Makes a tool call of a model, logs it and gives the model its result. */
import type { Redactor, Turn } from "@agent-platform/runs"
import { Clock, Effect, type Schema } from "effect"
import type { AgentTools } from "../tools/agentTools.ts"
import { cut, type ToolOutcome, toolFailure } from "../tools/Tool.ts"
import type { OpenCall } from "./Conversation.ts"
import type { DueCall } from "./dueCalls.ts"

/** How much of a result the log holds, in characters. */
const SHOWN_LENGTH_MAX = 4_000

/** A value as the log holds it. Redacted before it is cut: half of a secret would not be found. */
const shown = (value: Schema.Json, redactor: Redactor): Schema.Json =>
  cut(redactor.text(typeof value === "string" ? value : JSON.stringify(redactor.knownIn(value))), SHOWN_LENGTH_MAX).text

/** The name and the id of a call, as the log has them. */
const aboutCall = (call: OpenCall, redactor: Redactor) => ({
  name: redactor.text(call.toolName).slice(0, 200),
  tool_call_id: call.turnId
})

/** Logs that a call has begun. */
export const logStarted = ({ emit, redactor }: Turn, call: OpenCall) =>
  emit("tool.started", { ...aboutCall(call, redactor), arguments: shown(call.input, redactor) })

/**
 * Makes a call, unless its result is given. The model gets any failure as a failed result, and may go on. A call was handed over where an
 * earlier run paused for somebody to answer or to approve it: its beginning is logged already, and how long that took is not ours to say.
 */
export const useTool = Effect.fnUntraced(function* (
  turn: Turn,
  tools: AgentTools,
  { call, given }: DueCall,
  isHandedOver: boolean
) {
  const { redactor } = turn
  if (!isHandedOver) yield* logStarted(turn, call)
  const startedAt = yield* Clock.currentTimeMillis
  const tool = tools.byName.get(call.toolName)
  const used =
    given ??
    (tool === undefined
      ? toolFailure(`There is no tool '${call.toolName}'`)
      : yield* tool.call(call.input as Schema.JsonObject, call.turnId))
  const outcome: ToolOutcome = { ...used, value: redactor.knownIn(used.value) }
  const about = {
    ...aboutCall(call, redactor),
    is_error: outcome.isError,
    truncated: outcome.truncated,
    result: shown(outcome.value, redactor)
  }
  const duration_ms = (yield* Clock.currentTimeMillis) - startedAt
  yield* turn.emit("tool.completed", isHandedOver ? about : { ...about, duration_ms })
  return outcome
})
