/** The answer of a customer's own agent: lines of JSON, each of which is one of the kinds below. */
import { isTextTooDeep, NESTING_MAX } from "@agent-platform/kernel"
import { Effect, Schema } from "effect"
import type { Turn } from "../ports/AgentRunner.ts"
import { failedTurn, type TurnOutcome } from "../Run.ts"

const text = Schema.String
/** Further members of a line, which are logged as they are. */
const others = Schema.Record(Schema.String, Schema.Json)

const Delta = Schema.Struct({ type: Schema.Literal("message.delta"), text })
const Completed = Schema.Struct({ type: Schema.Literal("message.completed"), text })
const ToolStarted = Schema.StructWithRest(Schema.Struct({ type: Schema.Literal("tool.started"), name: text }), [others])
const ToolCompleted = Schema.StructWithRest(Schema.Struct({ type: Schema.Literal("tool.completed"), name: text }), [
  others
])
const Log = Schema.StructWithRest(Schema.Struct({ type: Schema.Literal("log"), message: text }), [others])
const Result = Schema.Struct({
  type: Schema.Literal("result"),
  result: Schema.optionalKey(Schema.Json),
  message: Schema.optionalKey(Schema.NullOr(text))
})
const Pause = Schema.Struct({
  type: Schema.Literal("pause"),
  message: text,
  interrupt: Schema.optionalKey(Schema.Json)
})
const Fail = Schema.Struct({
  type: Schema.Literal("fail"),
  error: text,
  error_code: Schema.optionalKey(Schema.Literals(["agent_error", "invalid_input"]))
})

const Line = Schema.Union([Delta, Completed, ToolStarted, ToolCompleted, Log, Result, Pause, Fail])
type Line = typeof Line.Type

/** The kinds of lines, for saying what is expected. */
const KINDS = Line.members.map((member) => ("fields" in member ? member.fields : member.schema.fields).type.literal)

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Line), { onExcessProperty: "error" })

/** A line of an answer, or its fault. Undefined for an empty one, by which an agent only shows that it lives. */
export const readLine = (line: string): Line | { readonly type: "unusable"; readonly why: string } | undefined => {
  if (line.trim() === "") return undefined
  if (isTextTooDeep(line)) return { type: "unusable", why: `is nested deeper than ${NESTING_MAX} levels` }
  const decoded = decode(line)
  if (decoded._tag === "Success") return decoded.success
  return { type: "unusable", why: `is not the JSON of one of ${KINDS.join(", ")}` }
}

/** The outcome of a turn whose agent does not do what it should. */
export const failed = (error: string): TurnOutcome => failedTurn("agent_error", error)

/** The progress of an answer. */
export interface Progress {
  readonly turn: Turn
  /** The last completed message. */
  said: string | null
  /** How many lines were read. */
  count: number
}

/** The progress before the first line. */
export const makeProgress = (turn: Turn): Progress => ({ turn, said: null, count: 0 })

/** Writes the next line of an answer to the log of its turn. Returns the outcome at the line that ends the turn. */
export const handleLine = Effect.fnUntraced(function* (
  progress: Progress,
  text: string
): Effect.fn.Return<TurnOutcome | undefined> {
  const { turn } = progress
  const line = readLine(text)
  progress.count += 1
  switch (line?.type) {
    case undefined:
      return undefined
    case "unusable":
      return failed(`Line ${progress.count} of the agent's answer ${line.why}`)
    case "message.completed":
    case "message.delta":
    case "tool.started":
    case "tool.completed":
    case "log": {
      const { type, ...data } = line
      if (type === "message.completed") progress.said = line.text
      yield* turn.emit(type, data)
      return undefined
    }
    case "result":
      return {
        _tag: "Succeeded",
        result: line.result ?? line.message ?? progress.said,
        message: line.message === undefined ? progress.said : line.message
      }
    case "pause":
      yield* turn.emit("interrupt.requested", { message: line.message })
      return { _tag: "Paused", message: line.message, interrupt: line.interrupt ?? null }
    case "fail":
      return failedTurn(line.error_code ?? "agent_error", line.error)
  }
})
