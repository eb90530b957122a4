import { isTooDeep, NESTING_MAX } from "@agent-platform/kernel"
import { Predicate, type Schema } from "effect"
import { makeRedactor, type Redactor } from "./Redactor.ts"
import { type Ending, failure, INTERRUPT_BYTES_MAX, RESULT_BYTES_MAX, type TurnEnd } from "./Run.ts"
import { storable } from "./storable.ts"
import { jsonBytes } from "./utf8.ts"

const tooLarge = (what: "result" | "message"): Ending =>
  failure("output_too_large", `The ${what} is larger than ${RESULT_BYTES_MAX} bytes`)

const tooDeep = (what: "result" | "interrupt"): Ending =>
  failure("agent_error", `The ${what} is nested deeper than ${NESTING_MAX} levels`)

/** The value as it is stored, of the same type, null for none; undefined where its JSON is too large. */
const kept = (given: Schema.Json | undefined, bytesMax: number, redactor: Redactor): Schema.Json | undefined => {
  const value = given ?? null
  // Redaction can change the size, so it is checked twice; the first time spares a search through a value that is too large.
  if (jsonBytes(value) > bytesMax) return undefined
  const redacted = storable(redactor.json(value))
  return jsonBytes(redacted) > bytesMax ? undefined : redacted
}

const isJsonObject = (value: Schema.Json): value is Schema.JsonObject => Predicate.isReadonlyObject(value)

/** The interrupt of a question, which is an object or null: any other value becomes the member `value` of an object. */
const interruptOf = (given: Schema.Json): Schema.JsonObject | null =>
  given === null || isJsonObject(given) ? given : { value: given }

/**
 * The ending of a run whose recipe had this outcome. Secrets are redacted. A result or a message that is too large, and a result or
 * an interrupt that is nested too deep, fail the run; an interrupt that is too large is dropped.
 */
export const endingOf = (outcome: TurnEnd, redactor: Redactor = makeRedactor()): Ending => {
  if (outcome._tag === "Failed") return failure(outcome.errorCode, redactor.text(outcome.error))
  const message = kept(outcome.message, RESULT_BYTES_MAX, redactor) as string | null | undefined
  if (message === undefined) return tooLarge("message")
  const finishReason = outcome.finishReason ?? null
  if (outcome._tag === "Succeeded") {
    if (isTooDeep(outcome.result)) return tooDeep("result")
    const result = kept(outcome.result, RESULT_BYTES_MAX, redactor)
    return result === undefined ? tooLarge("result") : { status: "succeeded", message, result, finishReason }
  }
  const given = interruptOf(outcome.interrupt)
  if (isTooDeep(given)) return tooDeep("interrupt")
  const interrupt = kept(given, INTERRUPT_BYTES_MAX, redactor) as typeof given | undefined
  return {
    status: "succeeded",
    paused: true,
    message,
    interrupt: interrupt ?? null,
    interruptTruncated: interrupt === undefined,
    finishReason
  }
}
