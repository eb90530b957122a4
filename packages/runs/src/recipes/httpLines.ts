/** What an agent of one's own may answer: lines of JSON, each of which is one of these. */
import { isTextTooDeep, NESTING_MAX } from "@agent-platform/kernel"
import { Effect, Schema } from "effect"
import type { Turn } from "../ports/AgentRunner.ts"
import type { TurnOutcome } from "../Run.ts"

const text = Schema.String
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

/** A line of an answer, or what is wrong with it; undefined for an empty one, which only shows that the agent lives. */
export const readLine = (line: string): Line | { readonly type: "unusable"; readonly why: string } | undefined => {
  if (line.trim() === "") return undefined
  if (isTextTooDeep(line)) return { type: "unusable", why: `is nested deeper than ${NESTING_MAX} levels` }
  const decoded = decode(line)
  if (decoded._tag === "Success") return decoded.success
  return { type: "unusable", why: `is not the JSON of one of ${KINDS.join(", ")}` }
}

const failed = (error: string): TurnOutcome => ({ _tag: "Failed", errorCode: "agent_error", error })

/** How far the answer of a turn has been played. */
export interface Player {
  readonly turn: Turn
  said: string | null
  count: number
}

/** A player that has played nothing yet. */
export const makePlayer = (turn: Turn): Player => ({ turn, said: null, count: 0 })

/** Plays the next line of an answer into the log of its turn: what the turn came to with it, undefined while it goes on. */
export const playLine = Effect.fnUntraced(function* (
  player: Player,
  text: string
): Effect.fn.Return<TurnOutcome | undefined> {
  const { turn } = player
  const line = readLine(text)
  player.count += 1
  switch (line?.type) {
    case undefined:
      return undefined
    case "unusable":
      return failed(`Line ${player.count} of the agent's answer ${line.why}`)
    case "message.completed":
      player.said = line.text
      yield* turn.emit(line.type, { text: line.text })
      return undefined
    case "message.delta":
    case "tool.started":
    case "tool.completed":
    case "log": {
      const { type, ...data } = line
      yield* turn.emit(type, data)
      return undefined
    }
    case "result":
      return {
        _tag: "Succeeded",
        result: line.result ?? line.message ?? player.said,
        message: line.message === undefined ? player.said : line.message
      }
    case "pause":
      yield* turn.emit("interrupt.requested", { message: line.message })
      return { _tag: "Paused", message: line.message, interrupt: line.interrupt ?? null }
    case "fail":
      return { _tag: "Failed", errorCode: line.error_code ?? "agent_error", error: line.error }
  }
})
