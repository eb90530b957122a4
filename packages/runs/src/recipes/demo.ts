/** The `demo` recipe: scripted by its input, without a model, a key or a network. Everybody's way to try things out. */
import { Effect, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { Recipe, Turn } from "../ports/AgentRunner.ts"
import type { SpendGuard } from "../ports/SpendGuard.ts"
import type { Run, TurnOutcome } from "../Run.ts"
import { makeSpend, type Spend, SpendStep } from "./demoSpend.ts"

const Step = Schema.Union([
  Schema.Struct({ say: Schema.String }),
  Schema.Struct({ sleep_ms: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 86_400_000 })) }),
  Schema.Struct({ ask: Schema.String, interrupt: Schema.optionalKey(Schema.Json) }),
  Schema.Struct({ fail: Schema.String }),
  Schema.Struct({ spend: SpendStep }),
  Schema.Struct({ return: Schema.Json })
])

const Script = Schema.Struct({ steps: Schema.Array(Step) })

type Steps = (typeof Script)["Type"]["steps"]

/** The steps that are executed: all of them, or those that cost neither money nor much time. */
export type DemoMode = "safe" | "full"

/** For how long a safe script may sleep in all. */
const SAFE_SLEEP_MILLIS_MAX = 1_000

const hasSteps = (input: Schema.Json): boolean =>
  typeof input === "object" && input !== null && !Array.isArray(input) && "steps" in input

const decodeScript = Schema.decodeUnknownResult(Script, { onExcessProperty: "error" })

const executeSteps = Effect.fnUntraced(function* (turn: Turn, spend: Spend, steps: Steps) {
  let said = ""
  const complete = Effect.suspend(() => (said === "" ? Effect.void : turn.emit("message.completed", { text: said })))
  for (const step of steps) {
    if ("say" in step) {
      said += step.say
      yield* turn.emit("message.delta", { text: step.say })
    } else if ("sleep_ms" in step) {
      yield* Effect.sleep(step.sleep_ms)
    } else if ("ask" in step) {
      const interrupt = step.interrupt ?? null
      yield* complete
      yield* turn.emit("interrupt.requested", { message: step.ask })
      return { _tag: "Paused", message: step.ask, interrupt } satisfies TurnOutcome
    } else if ("fail" in step) {
      yield* complete
      return { _tag: "Failed", errorCode: "agent_error", error: step.fail } satisfies TurnOutcome
    } else if ("spend" in step) {
      const refused = yield* spend(turn, step.spend)
      if (refused === undefined) continue
      yield* complete
      return refused
    } else {
      yield* complete
      return { _tag: "Succeeded", result: step.return, message: said === "" ? null : said } satisfies TurnOutcome
    }
  }
  yield* complete
  const message = said === "" ? null : said
  return { _tag: "Succeeded", result: message, message } satisfies TurnOutcome
})

const answer = Effect.fnUntraced(function* (turn: Turn) {
  const text = turn.run.prompt === null ? "Hello. Send me a message." : `You said: ${turn.run.prompt}`
  for (const word of text.split(/(?<=\s)/)) yield* turn.emit("message.delta", { text: word })
  yield* turn.emit("message.completed", { text })
  return { _tag: "Succeeded", result: text, message: text } satisfies TurnOutcome
})

/** The reason why a script is not executed; undefined where it is. */
const refusalOf = (mode: DemoMode, { trigger }: Run, steps: Steps): string | undefined => {
  const spends = steps.some((step) => "spend" in step)
  // Everybody who knows an inbound URL writes its inputs, without the right to spend anything.
  if (spends && trigger.type === "webhook") return "The step 'spend' is not executed for an inbound webhook"
  if (mode === "full") return undefined
  if (spends) return "The step 'spend' is not executed in this deployment"
  const slept = steps.reduce((millis, step) => millis + ("sleep_ms" in step ? step.sleep_ms : 0), 0)
  return slept > SAFE_SLEEP_MILLIS_MAX
    ? `The steps 'sleep_ms' may come to ${SAFE_SLEEP_MILLIS_MAX} in this deployment`
    : undefined
}

const invalid = (error: string) => Effect.succeed<TurnOutcome>({ _tag: "Failed", errorCode: "invalid_input", error })

/**
 * Makes the recipe: it executes `input.steps` in order if there are any, else it answers the message. A step `spend` is a
 * model call without the model: a reservation under the caps, a row in the ledger and the price of the tokens named. Steps
 * that the mode does not allow fail the run as `invalid_input`, and so does `spend` in a run of an inbound webhook.
 */
export const makeDemo = (mode: DemoMode): Effect.Effect<Recipe, never, SpendGuard | SecureRandom.SecureRandom> =>
  Effect.map(
    makeSpend,
    (spend): Recipe => ({
      name: "demo",
      execute: (turn) => {
        if (!hasSteps(turn.run.input)) return answer(turn)
        const script = decodeScript(turn.run.input)
        if (script._tag === "Failure") {
          return invalid(
            "The member 'steps' of the input is not a list of steps: see the documentation of the recipe 'demo'"
          )
        }
        const { steps } = script.success
        const refusal = refusalOf(mode, turn.run, steps)
        return refusal === undefined ? executeSteps(turn, spend, steps) : invalid(refusal)
      }
    })
  )
