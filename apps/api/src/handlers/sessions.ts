import { Api, Conflict, sessions as contract, UnprocessableContent } from "@agent-platform/contract"
import {
  type CallReplies,
  type CallReplyRefused,
  type InterruptSchemaMismatch,
  RunId,
  Runs,
  SessionId
} from "@agent-platform/runs"
import { Effect, Schema, String as Text } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { makeAwaitedRuns } from "../awaitedRuns.ts"
import { workspaceCaller } from "../callers.ts"
import { makeCursors } from "../cursors.ts"
import { pointerOf } from "../edge/issues.ts"
import { idempotencyProblems, invalid, notFound, notFoundAt } from "../edge/problems.ts"
import { makeIdempotencyOf, replayHeaders } from "../idempotency.ts"
import { idOf, maybeIdOf } from "../ids.ts"
import { runView } from "../views/runView.ts"
import { cancelledView, messageView, sessionView } from "../views/sessionViews.ts"
import { contentOf, overridesOf } from "./agentBodies.ts"
import { makeBrowserKeyHandler } from "./browserKeys.ts"
import { acceptanceProblems } from "./runProblems.ts"
import { makeSessionListHandler } from "./sessionList.ts"

const MESSAGES = "GET /api/v1/sessions/:session_id/messages"

const conflict = (code: Conflict["code"], detail: string) => new Conflict({ code, detail })

/** The part of a body that is for calls. */
const callRepliesOf = ({
  approvals,
  toolResults
}: Pick<typeof contract.NewMessage.Type, "approvals" | "toolResults">): CallReplies => ({
  toolResults: toolResults?.map(({ error, output = null, toolCallId }) =>
    error == null ? { toolCallId, output } : { toolCallId, error }
  ),
  approvals: approvals?.map(({ decision, input, reason, toolCallId }) => ({
    toolCallId,
    decision,
    input: input ?? undefined,
    reason: reason ?? undefined
  }))
})

const replyProblems = {
  CallReplyRefused: ({ detail, path }: CallReplyRefused) =>
    invalid(`/${path.map((step) => Text.camelToSnake(String(step))).join("/")}`, detail),
  InterruptAlreadyAnswered: () => conflict("interrupt_already_answered", "The question was answered before"),
  InterruptCancelled: () => conflict("interrupt_cancelled", "The session was cancelled, and the question with it"),
  RunNotPaused: ({ isFinished }: { readonly isFinished: boolean }) =>
    isFinished
      ? invalid("/run_id", "must be a run that ended on a question")
      : conflict("run_not_finished", "The run has not ended yet, so that it asks nothing"),
  InterruptSchemaMismatch: ({ detail, path }: InterruptSchemaMismatch) =>
    new UnprocessableContent({
      code: "interrupt_schema_mismatch",
      detail: "The data does not have the form that the question asks for",
      errors: [{ pointer: pointerOf("Payload", ["data", ...path]), code: "invalid_value", detail }]
    })
}

const runNotFound = notFoundAt("/run_id", "must be the id of a run of this session")

const encodeCancelled = Schema.encodeSync(Schema.toCodecJson(contract.SessionCancelled))

/** Handlers of sessions, their messages and their cancellation. */
export const layerSessions = HttpApiBuilder.group(
  Api,
  "sessions",
  Effect.fnUntraced(function* (handlers) {
    const runs = yield* Runs
    const cursors = yield* makeCursors
    const idempotencyOf = yield* makeIdempotencyOf
    const { awaited, openWait } = yield* makeAwaitedRuns
    const createBrowserKey = yield* makeBrowserKeyHandler
    const listSessions = yield* makeSessionListHandler
    return handlers.handleAll({
      listSessions,

      getSession: Effect.fnUntraced(
        function* ({ params }) {
          const caller = yield* workspaceCaller
          const sessionId = yield* idOf(SessionId, params.session_id)
          return sessionView(yield* runs.readSession({ caller, sessionId }))
        },
        Effect.catchTag("SessionNotFound", notFound)
      ),

      createSessionBrowserKey: Effect.fnUntraced(
        function* (call) {
          const caller = yield* workspaceCaller
          const sessionId = yield* idOf(SessionId, call.params.session_id)
          yield* runs.readSession({ caller, sessionId })
          return yield* createBrowserKey(call, { type: "session", id: sessionId }, { sessionId })
        },
        Effect.catchTag("SessionNotFound", notFound)
      ),

      listMessages: Effect.fnUntraced(
        function* ({ params, query }) {
          const caller = yield* workspaceCaller
          const sessionId = yield* idOf(SessionId, params.session_id)
          const scope = { route: MESSAGES, owner: caller.workspaceId, filters: { session_id: sessionId } }
          return yield* cursors.page(
            scope,
            query,
            (page) => runs.readMessages({ caller, sessionId, page }),
            (message) => messageView(sessionId, message)
          )
        },
        Effect.catchTag("SessionNotFound", notFound)
      ),

      replyToSession: Effect.fnUntraced(function* ({ headers, params, payload, request }) {
        const caller = yield* workspaceCaller
        const sessionId = yield* idOf(SessionId, params.session_id)
        const runId = yield* maybeIdOf(RunId, payload.runId, runNotFound)
        const { decision = null, ifBusy, message = null } = payload
        const route = `POST /api/v1/sessions/${sessionId}/messages`
        // The wait is counted first, so that a reply is not accepted when its wait is refused.
        const untilRefused = yield* openWait(payload.waitSeconds)
        const { replayed, value } = yield* runs
          .replyToSession({
            caller,
            sessionId,
            message,
            runId,
            decision,
            data: payload.data,
            ...callRepliesOf(payload),
            overrides: overridesOf(payload),
            content: contentOf(payload),
            metadata: payload.metadata,
            tags: payload.tags,
            ifBusy,
            idempotency: yield* idempotencyOf(route, caller.workspaceId, { headers, request })
          })
          .pipe(
            Effect.catchTags({
              ...idempotencyProblems,
              ...acceptanceProblems,
              ...replyProblems,
              RunNotFound: runId === undefined ? notFound : runNotFound
            })
          )
        const run = yield* awaited(value, payload.waitSeconds, untilRefused)
        const body: typeof contract.MessageAccepted.Encoded = {
          // The trigger of a reply is its message.
          message_id: run.trigger.id ?? run.id,
          session_id: sessionId,
          run_id: run.id,
          resumes_run_id: run.resumesRunId,
          status: run.status,
          run: runView(run)
        }
        return HttpServerResponse.jsonUnsafe(body, {
          status: 202,
          headers: { location: `/api/v1/runs/${run.id}`, ...replayHeaders(replayed) }
        })
      }),

      cancelSession: Effect.fnUntraced(
        function* ({ params, payload }) {
          const caller = yield* workspaceCaller
          const sessionId = yield* idOf(SessionId, params.session_id)
          const { mode, reason = null } = payload
          const done = yield* runs.cancelSession({ caller, sessionId, reason, mode })
          const isNothing = done.cancelled.length + done.requested.length + done.questions.length === 0
          const body = encodeCancelled(cancelledView(sessionId, done))
          return HttpServerResponse.jsonUnsafe(body, { status: isNothing ? 200 : 202 })
        },
        Effect.catchTag("SessionNotFound", notFound)
      )
    })
  })
)
