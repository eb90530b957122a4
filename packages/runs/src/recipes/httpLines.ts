/** The answer of a customer's own agent: lines of JSON, each of which is one of the kinds below. */
import { changedNumberFault, JSON_FAULTS, readJson } from "@agent-platform/kernel"
import { schemaFaultSentence } from "@agent-platform/toolkit"
import { Effect, Predicate, Result, Schema } from "effect"
import type { Turn } from "../ports/AgentRunner.ts"
import { failedTurn, type TurnEnd } from "../Run.ts"
import { RUN_EVENT_DATA } from "../RunEventData.ts"
import { type StatedUsage, UsageLine } from "./statedUsage.ts"

const text = (description: string) => Schema.String.annotateKey({ description })
const type = <const Type extends string>(name: Type) =>
  Schema.Literal(name).annotateKey({ description: "The kind of line" })
/** Further members of a line, which are logged as they are. */
const others = Schema.Record(Schema.String, Schema.Json)

const Delta = Schema.Struct({ type: type("message.delta"), text: text("The next piece of what the agent says") })
const Completed = Schema.Struct({ type: type("message.completed"), text: text("All of a message") })
const ToolStarted = Schema.StructWithRest(
  Schema.Struct({ type: type("tool.started"), name: text("The tool's name") }),
  [others]
)
const ToolCompleted = Schema.StructWithRest(
  Schema.Struct({ type: type("tool.completed"), name: text("The tool's name") }),
  [others]
)
const Log = Schema.StructWithRest(Schema.Struct({ type: type("log"), message: text("The words") }), [others])
const Checkpoint = Schema.Struct({
  type: type("checkpoint"),
  state: Schema.Json.annotateKey({ description: "Any JSON of up to 512 Ki characters, for the next request" })
})
const Ended = Schema.Struct({
  type: type("result"),
  result: Schema.optionalKey(Schema.Json).annotateKey({ description: "The run's result; else its message" }),
  message: Schema.optionalKey(Schema.NullOr(Schema.String)).annotateKey({
    description: "The run's message; else the last one that was completed"
  })
})
const Pause = Schema.Struct({
  type: type("pause"),
  message: text("The question"),
  interrupt: Schema.optionalKey(Schema.Json).annotateKey({
    description: "The question's data: an object; anything else becomes the member `value` of one"
  })
})
const Fail = Schema.Struct({
  type: type("fail"),
  error: text("Why, for people"),
  error_code: Schema.optionalKey(Schema.Literals(["agent_error", "invalid_input"])).annotateKey({
    description: "Why, for programs; else `agent_error`"
  })
})

/** The kinds of lines with their schemas. The document has them as they are here. */
export const AGENT_LINES = {
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

type Kind = keyof typeof AGENT_LINES
type Line = (typeof AGENT_LINES)[Kind]["Type"]

const isKind = (type: string): type is Kind => Object.hasOwn(AGENT_LINES, type)

const decoders = Object.fromEntries(
  Object.entries(AGENT_LINES).map(([type, schema]) => [
    type,
    Schema.decodeUnknownResult(schema as Schema.Codec<Line>, { onExcessProperty: "error" })
  ])
) as Readonly<Record<Kind, (value: unknown) => Result.Result<Line, Schema.SchemaError>>>

/** A line that cannot be used, or of a kind that is not known here: a later release may know it. */
type Unread = { readonly type: "unusable"; readonly why: string } | { readonly type: "unknown"; readonly kind: string }

const unusable = (why: string): Unread => ({ type: "unusable", why })

/** A line of an answer by its JSON, or its fault. */
export const readLineValue = (value: unknown): Line | Unread => {
  if (!Predicate.isObject(value) || typeof (value as { type?: unknown }).type !== "string") {
    return unusable("is not an object with a type")
  }
  const { type } = value as unknown as { readonly type: string }
  if (!isKind(type)) return { type: "unknown", kind: type.slice(0, 64) }
  const decoded = decoders[type](value)
  if (Result.isSuccess(decoded)) return decoded.success
  const fault = schemaFaultSentence(decoded.failure.issue, value) ?? "it has another form"
  return unusable(`is no line '${type}': ${fault}`)
}

/** A line of an answer, or its fault. Undefined for an empty one, by which an agent only shows that it lives. */
export const readLine = (line: string): Line | Unread | undefined => {
  if (line.trim() === "") return undefined
  const { changed, fault, value } = readJson(line)
  if (fault !== undefined) return unusable(JSON_FAULTS[fault])
  return changed === undefined ? readLineValue(value) : unusable(`cannot be kept: ${changedNumberFault(changed)}`)
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
  /** Whether the log says already that lines of unknown kinds are ignored. */
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

/** Members that may hold any JSON: nothing about them is left to check once a line was decoded. */
const OF_ANY_FORM: ReadonlyArray<string> = ["arguments", "data", "result"]

/** For each kind of line with further members, the checks of those that readers of the log know. */
const memberChecks = Object.fromEntries(
  (["tool.started", "tool.completed", "log"] as const).map((type) => [
    type,
    Object.entries(RUN_EVENT_DATA[type].fields)
      .filter(([name]) => !OF_ANY_FORM.includes(name))
      .map(([name, field]) => [name, Schema.is(field)] as const)
  ])
)

/** Without the members that readers of the log know in another form, such as a text for `duration_ms`. */
const readable = <Data extends object>(type: Kind, written: Data): Data => {
  const unfit = (memberChecks[type] ?? []).flatMap(([name, fits]) =>
    Object.hasOwn(written, name) && !fits((written as Readonly<Record<string, unknown>>)[name]) ? [name] : []
  )
  return unfit.length === 0
    ? written
    : (Object.fromEntries(Object.entries(written).filter(([name]) => !unfit.includes(name))) as Data)
}

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
        message: `Lines of the agent's answer are ignored, such as those of type '${line.kind}'`
      })
      return undefined
    case "message.completed":
    case "message.delta":
    case "tool.started":
    case "tool.completed":
    case "log": {
      // Only the platform says that an entry is about a model's provider, which hides its words from callers who see no costs.
      const { about_provider: _, type, ...written } = line as typeof line & { readonly about_provider?: unknown }
      const data = readable(type, written)
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
