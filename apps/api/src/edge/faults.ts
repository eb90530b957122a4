/** Responses to failed requests. Callers see only the texts that are written for them. */
import { BadRequest, isProblem, type Problem } from "@agent-platform/contract"
import { Cause, Effect } from "effect"
import { HttpServerError, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { CurrentRequest } from "./CurrentRequest.ts"
import { isDatabaseAway } from "./isDatabaseAway.ts"
import { issuesOf, problemOfIssues } from "./issues.ts"
import { problemResponse } from "./problemResponse.ts"
import { internalError, noSuchAddress, notFound, unavailable } from "./problems.ts"

const malformed = () => new BadRequest({ code: "malformed_request", detail: "The request cannot be read" })

/** Turns an error or a defect into a problem. */
export const problemOf = (error: unknown): Problem => {
  if (isProblem(error)) return error
  if (HttpApiError.HttpApiSchemaError.is(error)) {
    switch (error.kind) {
      // The answer's own body and headers: those of a request are "Payload" and "Headers".
      case "Body":
      case "ResponseHeaders":
        return internalError()
      case "Params":
        return notFound()
      default:
        return problemOfIssues(issuesOf(error.kind, error.cause.issue, undefined))
    }
  }
  if (HttpServerError.isHttpServerError(error)) {
    switch (error.reason._tag) {
      case "RouteNotFound":
        return noSuchAddress()
      case "RequestParseError":
        return malformed()
      default:
        return internalError()
    }
  }
  return isDatabaseAway(error) ? unavailable() : internalError()
}

/**
 * The error in a cause that decides about the response: one that means that the database is away, else the first one. A
 * transaction that fails while its connection breaks has two errors, its own and the one of its rollback.
 */
const errorOf = (cause: Cause.Cause<unknown>): unknown => {
  const faults = cause.reasons.flatMap((reason) =>
    reason._tag === "Fail" ? [reason.error] : reason._tag === "Die" ? [reason.defect] : []
  )
  return faults.find((fault) => isDatabaseAway(fault)) ?? faults[0]
}

const answerProblem = Effect.fnUntraced(function* (problem: Problem, cause: Cause.Cause<unknown>) {
  const request = yield* CurrentRequest
  if (problem.status === 500) yield* Effect.logError("A request failed unexpectedly", cause)
  if (problem.status === 503) yield* Effect.logDebug("A request could not be served", cause)
  return problemResponse(problem, request)
})

/**
 * Responds to a failure with its problem, and logs the cause of an unexpected failure. An interruption stays one, since it means
 * that nobody waits for the response.
 */
export const answerFault = <E>(cause: Cause.Cause<E>): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
  const error = errorOf(cause)
  if (HttpServerResponse.isHttpServerResponse(error)) return Effect.succeed(error)
  return answerProblem(problemOf(error), cause)
}
