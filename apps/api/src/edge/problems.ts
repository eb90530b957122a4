/** The problems that more than one place of the server fails with, so that they read the same everywhere. */
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

/** Nothing that the caller can see: the one answer for ids that are unknown, malformed or foreign. */
export const notFound = () => new NotFound({ code: "not_found", detail: "There is no such resource" })

/** An organization key or a session that named no workspace where one is needed. */
export const workspaceRequired = () =>
  new BadRequest({
    code: "workspace_required",
    detail: "Name a workspace of your organization in the header X-Workspace-Id"
  })

/** One fault of the request that only the domain could find. */
export const invalid = (pointer: string, detail: string, code: ProblemIssue["code"] = "invalid_value") =>
  new UnprocessableContent({
    code: "validation_failed",
    detail: `${pointer} ${detail}`,
    errors: [{ pointer, code, detail }]
  })

/** A URL that is not of the public internet. */
export const urlNotPublic = (pointer: string, detail: string) =>
  new UnprocessableContent({
    code: "url_not_public",
    detail,
    errors: [{ pointer, code: "invalid_value", detail }]
  })

/** The fault is ours; what it was stands in the log. */
export const internalError = () =>
  new InternalError({
    code: "internal_error",
    detail: "Something went wrong here. Quote the request id when you report it"
  })

/** Something that the service needs does not answer. */
export const unavailable = (detail = "The service cannot answer at the moment. Try again") =>
  new Unavailable({ code: "unavailable", detail })

/** The problem of a request that took more than so many seconds. */
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
