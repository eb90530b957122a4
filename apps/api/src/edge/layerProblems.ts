import { Formats, NotAcceptable, Problems } from "@agent-platform/contract"
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { preferred } from "./accept.ts"
import { answerFault } from "./faults.ts"
import { unanswered } from "./problems.ts"
import { ANSWER_SECONDS_MAX, within } from "./within.ts"

const demandFormat = (formats: ReadonlyArray<string>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
    preferred(headers["accept"], formats) === undefined
      ? Effect.fail(new NotAcceptable({ code: "not_acceptable", detail: `This exists as ${formats.join(", ")} only` }))
      : Effect.void
  )

/**
 * Wraps every endpoint: refuses formats that it does not have, limits the time until it responds, and turns every failure into a
 * problem.
 */
export const layerProblems: Layer.Layer<Problems> = Layer.succeed(Problems, (respond, { endpoint }) => {
  const formats = Context.getOrUndefined(endpoint.annotations, Formats) ?? ["application/json"]
  // A cache must not give one format to a caller that wants the other.
  const varied = formats.length === 1 ? respond : Effect.map(respond, HttpServerResponse.setHeader("vary", "Accept"))
  const answered = Effect.andThen(
    demandFormat(formats),
    within(varied, ANSWER_SECONDS_MAX, (seconds) => Effect.fail(unanswered(seconds)))
  )
  return Effect.catchCause(answered, answerFault)
})
