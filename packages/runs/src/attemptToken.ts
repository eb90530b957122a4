/** The token of an attempt, by which the agent that executes it is known. It is good for as long as the attempt lasts. */
import { parseId, SecretBox } from "@agent-platform/kernel"
import { Effect, Option, Redacted } from "effect"
import { type Run, RunId } from "./Run.ts"

const PLACE = "attempt_token"

/** How every token begins. */
export const ATTEMPT_TOKEN_PREFIX = "agt_"

/** A longer text is no token. */
const TOKEN_LENGTH_MAX = 512

/** The name of an execution of a run. */
export interface AttemptName {
  readonly runId: RunId
  readonly attempt: number
}

/** The token of the run's attempt. Nothing is kept of it. */
export const makeAttemptToken = Effect.fnUntraced(function* ({ attempt, id }: Pick<Run, "id" | "attempt">) {
  const box = yield* SecretBox
  const sealed = yield* box.seal(PLACE, Redacted.make(`${id}/${attempt}`))
  return Redacted.make(ATTEMPT_TOKEN_PREFIX + sealed)
})

/** The attempt that a token was made for, whether it still lasts or not; undefined for a text that is no token of ours. */
export const openAttemptToken = Effect.fnUntraced(function* (token: Redacted.Redacted) {
  const text = Redacted.value(token)
  if (!text.startsWith(ATTEMPT_TOKEN_PREFIX) || text.length > TOKEN_LENGTH_MAX) return undefined
  const box = yield* SecretBox
  const opened = yield* Effect.option(box.open(PLACE, text.slice(ATTEMPT_TOKEN_PREFIX.length)))
  if (Option.isNone(opened)) return undefined
  const [id = "", attempt = ""] = Redacted.value(opened.value).split("/")
  const runId = parseId(RunId, id)
  return runId === undefined ? undefined : ({ runId, attempt: Number(attempt) } satisfies AttemptName)
})
