import { bodyLimitOf, Formats, MayWait, NotAcceptable, Problems } from "@agent-platform/contract"
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { preferred } from "./accept.ts"
import { answerFault } from "./faults.ts"
import { unanswered } from "./problems.ts"
import { BODY_SECONDS_MAX } from "./readBody.ts"
import { ANSWER_SECONDS_MAX, within } from "./within.ts"

/** What an answer may take that was asked to wait, in seconds. The time for a body to arrive comes on top. */
export const WAITING_ANSWER_SECONDS_MAX = 90

const demandFormat = (formats: ReadonlyArray<string>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
    preferred(headers["accept"], formats) === undefined
      ? Effect.fail(new NotAcceptable({ code: "not_acceptable", detail: `This exists as ${formats.join(", ")} only` }))
      : Effect.void
  )

/**
 * Around every endpoint: refuses formats that it cannot give, bounds the time until it answers, and answers every failure as a
 * problem.
 */
export const layerProblems: Layer.Layer<Problems> = Layer.succeed(Problems, (respond, { endpoint }) => {
  const formats = Context.getOrUndefined(endpoint.annotations, Formats) ?? ["application/json"]
  const waits = Context.getOrUndefined(endpoint.annotations, MayWait) === true
  const toArrive = bodyLimitOf(endpoint) === undefined ? 0 : BODY_SECONDS_MAX
  const seconds = toArrive + (waits ? WAITING_ANSWER_SECONDS_MAX : ANSWER_SECONDS_MAX)
  const answered = Effect.andThen(
    demandFormat(formats),
    within(respond, seconds, () => Effect.fail(unanswered(seconds)))
  )
  return Effect.catchCause(answered, answerFault)
})
