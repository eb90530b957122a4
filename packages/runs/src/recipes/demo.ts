/** The `demo` recipe, to try things out: scripted by its input, without a model, a key or a network. */
import { makeBind, shownPointer } from "@agent-platform/toolkit"
import { Effect, Predicate, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Recipe, Turn } from "../ports/AgentRunner.ts"
import { SpendGuard } from "../ports/SpendGuard.ts"
import { failedTurn, type Run, type TurnOutcome } from "../Run.ts"
import { countStated, StatedUsage } from "./statedUsage.ts"

const Step = Schema.Union([
  Schema.Struct({ say: Schema.String }),
  Schema.Struct({ sleep_ms: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 86_400_000 })) }),
  Schema.Struct({ ask: Schema.String, interrupt: Schema.optionalKey(Schema.Json) }),
  Schema.Struct({ fail: Schema.String }),
  Schema.Struct({ spend: StatedUsage }),
  Schema.Struct({ return: Schema.Json })
])

const Script = Schema.Struct({ steps: Schema.Array(Step) })

type Steps = (typeof Script)["Type"]["steps"]

/** The steps that are executed: all of them, or those that cost neither money nor much time. */
export type DemoMode = "safe" | "full"

/** For how long a safe script may sleep in all. */
const SAFE_SLEEP_MILLIS_MAX = 1_000

const hasSteps = (input: Schema.Json): boolean => Predicate.isObject(input) && "steps" in input

const decodeScript = Schema.decodeUnknownResult(Script, { onExcessProperty: "error" })
const decodeStep = Schema.decodeUnknownResult(Step, { onExcessProperty: "error" })

/** The checkpoint of a turn that asked: the steps after its question, with which the reply goes on. */
const Remainder = Schema.Struct({ steps: Schema.Array(Step) })
const decodeRemainder = Schema.decodeUnknownOption(Remainder)
const encodeRemainder = Schema.encodeSync(Remainder)

/** Pays for one call; returns the failure of the turn where the call must not be made. */
type Spend = (turn: Turn, step: StatedUsage) => Effect.Effect<TurnOutcome | undefined>

const executeSteps = Effect.fnUntraced(function* (turn: Turn, spend: Spend, steps: Steps) {
  let said = ""
  let ended: TurnOutcome | undefined
  for (const [index, step] of steps.entries()) {
    if ("say" in step) {
      said += step.say
      yield* turn.emit("message.delta", { text: step.say })
    } else if ("sleep_ms" in step) {
      yield* Effect.sleep(step.sleep_ms)
    } else if ("ask" in step) {
      const remainder = steps.slice(index + 1)
      if (remainder.length > 0) yield* turn.checkpoint.save(encodeRemainder({ steps: remainder }))
      ended = { _tag: "Paused", message: step.ask, interrupt: step.interrupt ?? null }
    } else if ("fail" in step) {
      ended = failedTurn("agent_error", step.fail)
    } else if ("spend" in step) {
      ended = yield* spend(turn, step.spend)
    } else {
      ended = { _tag: "Succeeded", result: step.return, message: said === "" ? null : said }
    }
    if (ended !== undefined) break
  }
  const message = said === "" ? null : said
  if (message !== null) yield* turn.emit("message.completed", { text: message })
  if (ended?._tag === "Paused") yield* turn.emit("interrupt.requested", { message: ended.message })
  const outcome: TurnOutcome = ended ?? { _tag: "Succeeded", result: message, message }
  return outcome
})

/** The steps after the question that the turn answers; none for any other turn. */
const stepsAfterQuestion = Effect.fnUntraced(function* (turn: Turn) {
  const saved = decodeRemainder(yield* turn.checkpoint.ofQuestion)
  return saved._tag === "Some" ? saved.value.steps : []
})

const answer = Effect.fnUntraced(function* (turn: Turn) {
  const text = turn.run.prompt === null ? "Hello. Send me a message." : `You said: ${turn.run.prompt}`
  for (const word of text.split(/(?<=\s)/)) yield* turn.emit("message.delta", { text: word })
  yield* turn.emit("message.completed", { text })
  const outcome: TurnOutcome = { _tag: "Succeeded", result: text, message: text }
  return outcome
})

/** The reason why a script is not executed; undefined where it is. */
const refusalOf = (mode: DemoMode, { trigger }: Run, steps: Steps): string | undefined => {
  const spends = steps.some((step) => "spend" in step)
  // Anybody who knows an inbound URL writes its inputs, without the right to spend anything.
  if (spends && trigger.type === "webhook") return "The step 'spend' is not executed for an inbound webhook"
  if (mode === "full") return undefined
  if (spends) return "The step 'spend' is not executed in this deployment"
  const slept = steps.reduce((millis, step) => millis + ("sleep_ms" in step ? step.sleep_ms : 0), 0)
  return slept > SAFE_SLEEP_MILLIS_MAX
    ? `The steps 'sleep_ms' may come to ${SAFE_SLEEP_MILLIS_MAX} in this deployment`
    : undefined
}

const invalid = (error: string) => Effect.succeed(failedTurn("invalid_input", error))

const STEPS =
  '{"say": text}, {"sleep_ms": a whole number up to 86400000}, {"ask": text, "interrupt": any JSON}, {"fail": text}, ' +
  '{"spend": the usage of a model call} or {"return": any JSON}'

/** The first fault of an input that is no script. */
const scriptFaultOf = (input: Schema.Json): string => {
  const { steps, ...others } = input as Schema.JsonObject
  const [other] = Object.keys(others)
  if (other !== undefined) return `${shownPointer([other])} of the input is not known beside steps`
  if (!Array.isArray(steps)) return "/steps of the input must be a list"
  const index = steps.findIndex((step) => Result.isFailure(decodeStep(step)))
  return `${shownPointer(["steps", index])} of the input must be one of ${STEPS}`
}

/**
 * Makes the recipe: it executes `input.steps` in order if there are any, else it answers the message; the reply to an `ask` goes
 * on with the steps after it. Those need no check of their own: the whole script was checked before its first step. A step `spend` is a
 * model call without the model: a reservation under the caps, a row in the ledger and the price of the tokens named. Steps
 * that the mode does not allow fail the run as `invalid_input`, and so does `spend` in a run of an inbound webhook.
 */
export const makeDemo = (mode: DemoMode): Effect.Effect<Recipe, never, SpendGuard | SecureRandom.SecureRandom> =>
  Effect.map(makeBind(SpendGuard, SecureRandom.SecureRandom), (bind): Recipe => {
    const spend: Spend = bind((turn: Turn, step: StatedUsage) =>
      countStated(turn, step, { payer: { source: "platform" }, isReported: false })
    )
    return {
      name: "demo",
      execute: (turn) => {
        if (!hasSteps(turn.run.input)) {
          return Effect.flatMap(stepsAfterQuestion(turn), (steps) =>
            steps.length > 0 ? executeSteps(turn, spend, steps) : answer(turn)
          )
        }
        const script = decodeScript(turn.run.input)
        if (script._tag === "Failure") return invalid(scriptFaultOf(turn.run.input))
        const { steps } = script.success
        const refusal = refusalOf(mode, turn.run, steps)
        return refusal === undefined ? executeSteps(turn, spend, steps) : invalid(refusal)
      }
    }
  })
