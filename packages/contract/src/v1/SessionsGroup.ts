/** Sessions: their messages, and cancelling. Spec: Runs and sessions. */
import { SESSIONS_LOOKED_AT_MAX } from "@agent-platform/runs"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access, BodyLimit, CONTENT_BODY_BYTES_MAX } from "./access.ts"
import { NewBrowserKey, SessionBrowserKey } from "./browserKeySchemas.ts"
import { accepted, created, idempotencyHeaders } from "./creations.ts"
import { Conflict, NotFound, PaymentRequired, TooManyRequests, UnprocessableContent } from "./errors.ts"
import { id } from "./formats.ts"
import { JsonBody, Strict } from "./middleware.ts"
import { documentParameters, pageParameters } from "./queries.ts"
import {
  MessageAccepted,
  MessagePage,
  NewMessage,
  SessionCancel,
  SessionCancelled,
  SessionPage,
  SessionView,
  sessionListParameters
} from "./sessionSchemas.ts"

const sessionPath = { session_id: id("The session's id") }

/** The group behind `/api/v1/sessions`. */
export class SessionsGroup extends HttpApiGroup.make("sessions")
  .add(
    HttpApiEndpoint.get("listSessions", "/api/v1/sessions", {
      query: sessionListParameters.fields,
      success: SessionPage,
      error: UnprocessableContent
    })
      .annotate(Access, { reach: "workspace", scope: "runs:read" })
      .annotate(OpenApi.Transform, documentParameters(sessionListParameters.docs))
      .annotate(OpenApi.Summary, "List sessions")
      .annotate(
        OpenApi.Description,
        "The workspace's sessions, newest first by when they began. Filters combine. With `status` or `q` a page looks at " +
          `${SESSIONS_LOOKED_AT_MAX} sessions at most, so that it may hold fewer than \`limit\`, or none, while ` +
          "`next_cursor` leads on to older ones."
      ),
    HttpApiEndpoint.get("getSession", "/api/v1/sessions/:session_id", {
      params: sessionPath,
      success: SessionView,
      error: NotFound
    })
      .annotate(Access, { reach: "workspace", scope: "runs:read", browser: "session_id" })
      .annotate(OpenApi.Summary, "Read a session")
      .annotate(OpenApi.Description, "The session's unfinished runs, its latest run and the open question."),
    HttpApiEndpoint.post("createSessionBrowserKey", "/api/v1/sessions/:session_id/browser-keys", {
      params: sessionPath,
      headers: idempotencyHeaders,
      payload: NewBrowserKey,
      success: created(SessionBrowserKey),
      error: [NotFound, Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "workspace", scope: "runs:read" })
      .annotate(OpenApi.Summary, "Make a browser key for a session")
      .annotate(
        OpenApi.Description,
        "Makes a key for a page in a browser, which reads this session, its messages, its runs and their logs, and nothing else. " +
          "Its runs are listed with `session_id`. The rest is as for a run."
      ),
    HttpApiEndpoint.get("listMessages", "/api/v1/sessions/:session_id/messages", {
      params: sessionPath,
      query: pageParameters.fields,
      success: MessagePage,
      error: [NotFound, UnprocessableContent]
    })
      .annotate(Access, { reach: "workspace", scope: "runs:read", browser: "session_id" })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List a session's messages")
      .annotate(
        OpenApi.Description,
        "The messages of caller and agent, newest first. The caller's words are the `message` of a run or of a " +
          "reply, the agent's are the `message` that a run ended with."
      ),
    HttpApiEndpoint.post("replyToSession", "/api/v1/sessions/:session_id/messages", {
      params: sessionPath,
      headers: idempotencyHeaders,
      payload: NewMessage,
      success: accepted(MessageAccepted),
      error: [PaymentRequired, NotFound, Conflict, UnprocessableContent, TooManyRequests]
    })
      .middleware(JsonBody)
      .annotate(BodyLimit, CONTENT_BODY_BYTES_MAX)
      .annotate(Access, { reach: "workspace", scope: "runs:write" })
      .annotate(OpenApi.Summary, "Reply to a paused agent and resume it")
      .annotate(
        OpenApi.Description,
        "Answers a question, or begins an ordinary turn where none is open. Either is a run of its own, which reports " +
          "its own outcome; of several answers to one question exactly one wins, the others are 409. The run takes agent, " +
          "recipe and bounds from the run that it answers, or else from the session's latest; its settings, `metadata` and `tags`, too, " +
          "where the message has none. `wait_seconds` delays the answer until the run has ended or the wait is over. Its agent " +
          "gets the text as its message, and `decision` and `data` as its input if there is either. A run that is " +
          "triggered into the session leaves the question open. 409 `run_not_finished` where the run that `run_id` names " +
          "has not ended, and 422 at `/run_id` where it ended without a question. A run that is paused on calls of tools takes " +
          "`tool_results` or `approvals`, in part or in full; a message beside them goes to the model at once, and what it leaves " +
          "unanswered counts as failed."
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
        "Cancels every unfinished run of the session: queued runs at once, a run that executes within 10 seconds " +
          "whatever its agent does, and its open questions. 200 with empty lists when there is nothing to cancel. " +
          "Many queued runs are cancelled in batches, from the end of the line on; where the answer is lost, " +
          "cancel again and that goes on. Cancelling again asks for nothing new, except that `immediate` may " +
          "follow `graceful`."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Sessions")
  .annotate(OpenApi.Description, "Conversations that runs belong to: messages, replies and cancelling") {}
