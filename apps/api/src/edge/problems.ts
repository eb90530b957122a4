/** Problems with which several places of the server fail, so that they read the same everywhere. */
import {
  BadRequest,
  Conflict,
  InternalError,
  NotFound,
  type ProblemIssue,
  Unavailable,
  UnprocessableContent
} from "@agent-platform/contract"
import type { IdempotencyInProgress, IdempotencyKeyReused } from "@agent-platform/kernel"

/** The problem for ids that are unknown, malformed or of another tenant, which callers cannot tell apart. */
export const notFound = () => new NotFound({ code: "not_found", detail: "There is no such resource" })

/**
 * Makes the problem of ids in a header or inside of a body, whose place says which of several it is. It reads alike for ids that are
 * unknown, malformed or of another tenant, too.
 */
export const notFoundAt = (place: string, wanted: string) => () =>
  new NotFound({ code: "not_found", detail: `There is no such resource: ${place} ${wanted}` })

/** The problem of a workspace that a request names and that its caller does not reach. */
export const workspaceNotFound = notFoundAt("X-Workspace-Id", "must be the id of a workspace that you can see")

/** The problem of an agent that a body names. */
export const agentNotFound = notFoundAt(
  "/agent_id",
  "must be the id of an agent that you can see and that is not archived"
)

/** The problem of a path that is no address of the service. */
export const noSuchAddress = () =>
  new NotFound({ code: "not_found", detail: "There is no such address: /docs lists those that there are" })

/** The problem of an organization key or a session that names no workspace where one is needed. */
export const workspaceRequired = () =>
  new BadRequest({
    code: "workspace_required",
    detail: "Name a workspace of your organization in the header X-Workspace-Id"
  })

/** The problem for one fault of a request, such as one that only the domain could find. */
export const invalid = (pointer: string, detail: string, code: ProblemIssue["code"] = "invalid_value") =>
  new UnprocessableContent({
    code: "validation_failed",
    detail: `${pointer} ${detail}`,
    errors: [{ pointer, code, detail }]
  })

/** The problem of a URL that is not on the public internet. */
export const urlNotPublic = (pointer: string, detail: string) =>
  new UnprocessableContent({
    code: "url_not_public",
    detail,
    errors: [{ pointer, code: "invalid_value", detail }]
  })

/** The problem of an unexpected failure, whose cause is in the log only. */
export const internalError = () =>
  new InternalError({
    code: "internal_error",
    detail: "Something went wrong here. Quote the request id when you report it"
  })

/** The problem when something that the service needs does not respond. */
export const unavailable = (detail = "The service cannot answer at the moment. Try again") =>
  new Unavailable({ code: "unavailable", detail })

/** The problem of a request that took longer than `seconds`. */
export const unanswered = (seconds: number) => unavailable(`There was no answer within ${seconds} seconds. Try again`)

/** Problems of a misused Idempotency-Key. */
export const idempotencyProblems = {
  IdempotencyKeyReused: (_: IdempotencyKeyReused) =>
    new UnprocessableContent({
      code: "idempotency_key_reused",
      detail: "This Idempotency-Key was used with another body before"
    }),
  IdempotencyInProgress: (_: IdempotencyInProgress) =>
    new Conflict({
      code: "idempotency_in_progress",
      detail: "The request that first used this Idempotency-Key has not finished yet"
    })
}
