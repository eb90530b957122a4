/** Makes the response of a problem. Spec: Errors. */
import { type Problem, type ProblemIssue, problemKind } from "@agent-platform/contract"
import { QUEUED_RUNS_MAX } from "@agent-platform/runs"
import { HttpServerResponse } from "effect/http"
import type { RequestInfo } from "./CurrentRequest.ts"
import { withoutCredentials } from "./withoutCredentials.ts"

const CONTENT_TYPE = "application/problem+json"

/** A fault without credentials, which callers also put into names of members. */
const cleaned = ({ code, detail, pointer }: ProblemIssue) => ({
  pointer: withoutCredentials(pointer),
  code,
  detail: withoutCredentials(detail)
})

/** The addresses that OpenAI's libraries call, which look for the reason in a member `error`. */
const GATEWAY = "/api/v1/gateway/"

/** The problem as OpenAI's libraries read it. */
export const openAiError = ({ code, detail, errors, status }: Problem) => ({
  message: withoutCredentials(detail),
  type: status < 500 ? "invalid_request_error" : "server_error",
  param: errors?.[0] === undefined ? null : withoutCredentials(errors[0].pointer),
  code
})

/** The body of a problem in the response to a request. */
export const problemBody = (problem: Problem, request: RequestInfo) => {
  const { retryable, title } = problemKind(problem.code)
  return {
    type: `${request.baseUrl}/problems/${problem.code}`,
    title,
    status: problem.status,
    detail: withoutCredentials(problem.detail),
    instance: request.instance,
    code: problem.code,
    request_id: request.requestId,
    retryable,
    ...(problem.errors === undefined ? {} : { errors: problem.errors.map(cleaned) }),
    ...(problem.code === "provider_rejected_key"
      ? {
          provider_status: problem.provider_status ?? null,
          provider_code: problem.provider_code == null ? null : withoutCredentials(problem.provider_code)
        }
      : {}),
    ...(request.instance.startsWith(GATEWAY) ? { error: openAiError(problem) } : {})
  }
}

const challenge = (problem: Problem): string => {
  switch (problem.code) {
    case "missing_credential":
      return 'Bearer realm="agent-platform"'
    case "insufficient_scope":
      return 'Bearer realm="agent-platform", error="insufficient_scope"'
    case "signature_invalid":
      return 'Signature realm="agent-platform"'
    default:
      return 'Bearer realm="agent-platform", error="invalid_token"'
  }
}

/** The rate-limit headers of a full queue of runs. The queue of replays has no such policy. */
const policyOf = (problem: Problem, request: RequestInfo): Readonly<Record<string, string>> =>
  problem.code === "queue_full" && !request.instance.startsWith("/api/v1/org/webhooks")
    ? { "ratelimit-policy": `"queued_runs";q=${QUEUED_RUNS_MAX}`, ratelimit: '"queued_runs";r=0' }
    : {}

/** The headers that belong to a problem of its kind. */
const problemHeaders = (problem: Problem, request: RequestInfo): Readonly<Record<string, string>> => {
  const { retryAfterSeconds } = problemKind(problem.code)
  return {
    ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
    ...(problem.status === 401 || problem.code === "insufficient_scope"
      ? { "www-authenticate": challenge(problem) }
      : {}),
    // The connection is closed, since the rest of such a request is not worth reading.
    ...(problem.status === 408 || problem.status === 413 ? { connection: "close" } : {}),
    ...policyOf(problem, request)
  }
}

/** The response of a problem. */
export const problemResponse = (
  problem: Problem,
  request: RequestInfo,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(problemBody(problem, request)), {
    status: problem.status,
    contentType: CONTENT_TYPE,
    headers: { ...problemHeaders(problem, request), ...headers }
  })
