/** What every endpoint of the contract has around it. */
import { bodyLimitOf, Formats, MayWait, NotAcceptable, Problems } from "@agent-platform/contract"
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { preferred } from "./accept.ts"
import { answerFault } from "./faults.ts"
import { unanswered } from "./problems.ts"
import { ANSWER_SECONDS_MAX } from "./promptly.ts"
import { BODY_SECONDS_MAX } from "./readBody.ts"
import { within } from "./within.ts"

/** What an answer may take that was asked to wait, in seconds. The time for a body to arrive comes on top. */
export const WAITING_ANSWER_SECONDS_MAX = 90

/**
 * Refuses formats that the endpoint cannot give, bounds the time until it answers, and answers every failure as a
 * problem. The time-out does not wait for what it gave up.
 */
export const withProblems = <E, R>(
  respond: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  endpoint: HttpApiEndpoint.Top
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R | HttpServerRequest.HttpServerRequest> => {
  const formats = Context.getOrUndefined(endpoint.annotations, Formats) ?? ["application/json"]
  const waits = Context.getOrUndefined(endpoint.annotations, MayWait) === true
  const toArrive = bodyLimitOf(endpoint) === undefined ? 0 : BODY_SECONDS_MAX
  const seconds = toArrive + (waits ? WAITING_ANSWER_SECONDS_MAX : ANSWER_SECONDS_MAX)
  const answered = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (preferred(request.headers["accept"], formats) === undefined) {
      const detail = `This exists as ${formats.join(", ")} only`
      return yield* new NotAcceptable({ code: "not_acceptable", detail })
    }
    return yield* within(respond, seconds, (given) => Effect.fail(unanswered(given)))
  })
  return Effect.catchCause(answered, answerFault)
}

/** That around every endpoint. */
export const layerProblems: Layer.Layer<Problems> = Layer.succeed(Problems, (respond, { endpoint }) =>
  withProblems(respond, endpoint)
)
