/** What a failed request is answered with. Nothing of the fault itself leaves but what is written for callers. */
import { BadRequest, isProblem, type Problem } from "@agent-platform/contract"
import { Cause, Effect } from "effect"
import { HttpServerError, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { CurrentRequest } from "./CurrentRequest.ts"
import { isDatabaseAway } from "./isDatabaseAway.ts"
import { issuesOf, problemOfIssues } from "./issues.ts"
import { problemResponse } from "./problemResponse.ts"
import { internalError, notFound, unavailable } from "./problems.ts"

const malformed = () => new BadRequest({ code: "malformed_request", detail: "The request cannot be read" })

/** The problem that an error or a defect amounts to. */
export const problemOf = (error: unknown): Problem => {
  if (isProblem(error)) return error
  if (HttpApiError.HttpApiSchemaError.is(error)) {
    switch (error.kind) {
      case "Body":
      case "ResponseHeaders":
        return internalError()
      case "Params":
        return notFound()
      default:
        return problemOfIssues(issuesOf(error.kind, error.cause.issue))
    }
  }
  if (HttpServerError.isHttpServerError(error)) {
    switch (error.reason._tag) {
      case "RouteNotFound":
        return notFound()
      case "RequestParseError":
        return malformed()
      default:
        return internalError()
    }
  }
  return isDatabaseAway(error) ? unavailable() : internalError()
}

/** The first error or defect of a cause. */
const errorOf = (cause: Cause.Cause<unknown>): unknown => {
  for (const reason of cause.reasons) {
    if (reason._tag === "Fail") return reason.error
    if (reason._tag === "Die") return reason.defect
  }
  return undefined
}

/**
 * Answers a failure: as its problem, with its cause in the log where the fault is ours. An interruption stays one, for it
 * means that nobody waits for the answer.
 */
export const answerFault = <E>(cause: Cause.Cause<E>): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
  const error = errorOf(cause)
  if (HttpServerResponse.isHttpServerResponse(error)) return Effect.succeed(error)
  const problem = problemOf(error)
  return Effect.gen(function* () {
    const request = yield* CurrentRequest
    if (problem.status === 500) yield* Effect.logError("A request failed unexpectedly", cause)
    if (problem.status === 503) yield* Effect.logDebug("A request could not be served", cause)
    return problemResponse(problem, request)
  })
}
