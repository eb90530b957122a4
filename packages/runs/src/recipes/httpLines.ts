/** The answer of a customer's own agent: lines of JSON, each of which is one of the kinds below. */
import { isTextTooDeep, NESTING_MAX } from "@agent-platform/kernel"
import { Effect, Predicate, Result, Schema } from "effect"
import type { Turn } from "../ports/AgentRunner.ts"
import { failedTurn, type TurnEnd } from "../Run.ts"
import { type StatedUsage, UsageLine } from "./statedUsage.ts"

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
const Checkpoint = Schema.Struct({ type: Schema.Literal("checkpoint"), state: Schema.Json })
const Ended = Schema.Struct({
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

/** The kinds of lines with their schemas. */
const LINES = {
  "message.delta": Delta,
  "message.completed": Completed,
  "tool.started": ToolStarted,
  "tool.completed": ToolCompleted,
  log: Log,
  usage: UsageLine,
  checkpoint: Checkpoint,
  result: Ended,
  pause: Pause,
  fail: Fail
} as const

type Kind = keyof typeof LINES
type Line = (typeof LINES)[Kind]["Type"]

const isKind = (type: string): type is Kind => Object.hasOwn(LINES, type)

const decoders = Object.fromEntries(
  Object.entries(LINES).map(([type, schema]) => [
    type,
    Schema.decodeUnknownResult(schema as Schema.Codec<Line>, { onExcessProperty: "error" })
  ])
) as Readonly<Record<Kind, (value: unknown) => Result.Result<Line, unknown>>>

/** A line that cannot be used, and one of a kind that is not known here, which may be one of a later release. */
type Unread = { readonly type: "unusable"; readonly why: string } | { readonly type: "unknown"; readonly named: string }

const unusable = (why: string): Unread => ({ type: "unusable", why })

/** A line of an answer by its JSON, or its fault. */
export const readLineValue = (value: unknown): Line | Unread => {
  if (!Predicate.isObject(value) || typeof (value as { type?: unknown }).type !== "string") {
    return unusable("is not an object with a type")
  }
  const { type } = value as unknown as { readonly type: string }
  if (!isKind(type)) return { type: "unknown", named: type.slice(0, 64) }
  const decoded = decoders[type](value)
  return Result.isSuccess(decoded) ? decoded.success : unusable(`does not have the members of a line '${type}'`)
}

/** A line of an answer, or its fault. Undefined for an empty one, by which an agent only shows that it lives. */
export const readLine = (line: string): Line | Unread | undefined => {
  if (line.trim() === "") return undefined
  if (isTextTooDeep(line)) return unusable(`is nested deeper than ${NESTING_MAX} levels`)
  const parsed = Result.try((): unknown => JSON.parse(line))
  return Result.isSuccess(parsed) ? readLineValue(parsed.success) : unusable("is not JSON")
}

/** The outcome of a turn whose agent does not do what it should. */
export const failed = (error: string): TurnEnd => failedTurn("agent_error", error)

/** The progress of an answer. */
export interface Progress {
  readonly turn: Turn
  /** Counts a call that the agent reports, the nth of the answer. Returns the failure of the turn where the caps refuse it. */
  readonly count: (usage: StatedUsage, nth: number) => Effect.Effect<TurnEnd | undefined>
  /** The last completed message. */
  said: string | null
  /** How many lines were read, and how many of them reported calls. */
  lines: number
  reported: number
  /** Whether the log says that lines are ignored. */
  hasNamedUnknown: boolean
}

/** The progress before the first line. */
export const makeProgress = (turn: Turn, count: Progress["count"]): Progress => ({
  turn,
  count,
  said: null,
  lines: 0,
  reported: 0,
  hasNamedUnknown: false
})

/** Does what the next line of an answer says. Returns the outcome at the line that ends the turn. */
export const handleLine = Effect.fnUntraced(function* (
  progress: Progress,
  line: Line | Unread | undefined
): Effect.fn.Return<TurnEnd | undefined> {
  const { turn } = progress
  progress.lines += 1
  switch (line?.type) {
    case undefined:
      return undefined
    case "unusable":
      return failed(`Line ${progress.lines} of the agent's answer ${line.why}`)
    case "unknown":
      if (progress.hasNamedUnknown) return undefined
      progress.hasNamedUnknown = true
      yield* turn.emit("log", {
        message: `Lines of the agent's answer are ignored, such as those of type '${line.named}'`
      })
      return undefined
    case "message.completed":
    case "message.delta":
    case "tool.started":
    case "tool.completed":
    case "log": {
      // Words of an agent are its own, whatever it calls them.
      const { about_provider: _, type, ...data } = line as typeof line & { readonly about_provider?: unknown }
      if (type === "message.completed") progress.said = (line as typeof Completed.Type).text
      yield* turn.emit(type, data)
      return undefined
    }
    case "usage": {
      const { type: _, ...usage } = line
      progress.reported += 1
      return yield* progress.count(usage, progress.reported)
    }
    case "checkpoint":
      yield* turn.checkpoint.keep(line.state)
      return undefined
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
