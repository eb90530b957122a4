/** Sessions: their messages, and cancelling. Spec: Runs and sessions. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access, BodyLimit, RUN_BODY_BYTES_MAX } from "./access.ts"
import { accepted, idempotencyHeaders } from "./creations.ts"
import { Conflict, NotFound, PaymentRequired, TooManyRequests, UnprocessableContent } from "./errors.ts"
import { text } from "./formats.ts"
import { JsonBody, Strict } from "./middleware.ts"
import { documentParameters, pageParameters } from "./queries.ts"
import {
  MessageAccepted,
  MessagePage,
  NewMessage,
  SessionCancel,
  SessionCancelled,
  SessionView
} from "./sessionSchemas.ts"

const sessionPath = { session_id: text("The session's id") }

/** The group behind `/api/v1/sessions`. */
export class SessionsGroup extends HttpApiGroup.make("sessions")
  .add(
    HttpApiEndpoint.get("getSession", "/api/v1/sessions/:session_id", {
      params: sessionPath,
      success: SessionView,
      error: NotFound
    })
      .annotate(Access, { reach: "workspace", scope: "runs:read" })
      .annotate(OpenApi.Summary, "Read a session")
      .annotate(OpenApi.Description, "What the session has under way, its latest run and the question that is open."),
    HttpApiEndpoint.get("listMessages", "/api/v1/sessions/:session_id/messages", {
      params: sessionPath,
      query: pageParameters.fields,
      success: MessagePage,
      error: [NotFound, UnprocessableContent]
    })
      .annotate(Access, { reach: "workspace", scope: "runs:read" })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List a session's messages")
      .annotate(OpenApi.Description, "What caller and agent said to each other, newest first."),
    HttpApiEndpoint.post("replyToSession", "/api/v1/sessions/:session_id/messages", {
      params: sessionPath,
      headers: idempotencyHeaders,
      payload: NewMessage,
      success: accepted(MessageAccepted),
      error: [PaymentRequired, NotFound, Conflict, UnprocessableContent, TooManyRequests]
    })
      .middleware(JsonBody)
      .annotate(BodyLimit, RUN_BODY_BYTES_MAX)
      .annotate(Access, { reach: "workspace", scope: "runs:write" })
      .annotate(OpenApi.Summary, "Reply to a paused agent and resume it")
      .annotate(
        OpenApi.Description,
        "Answers a question, or begins an ordinary turn where none is open. Either is a run of its own, which reports its " +
          "own outcome; of several answers to one question exactly one wins, the others are 409."
      ),
    HttpApiEndpoint.post("cancelSession", "/api/v1/sessions/:session_id/cancel", {
      params: sessionPath,
      payload: SessionCancel,
      success: [SessionCancelled.pipe(HttpApiSchema.status(202)), SessionCancelled.pipe(HttpApiSchema.status(200))],
      error: [NotFound, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "workspace", scope: "runs:write" })
      .annotate(OpenApi.Summary, "Cancel a session")
      .annotate(
        OpenApi.Description,
        "Cancels all that the session has under way: queued runs at once, a run that executes within 10 seconds whatever " +
          "its agent does, and its open questions. 200 with empty lists when there is nothing to cancel."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({
      title: "Sessions",
      description: "What runs belong to: messages, replies and cancelling"
    })
  ) {}
