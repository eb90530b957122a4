import { Api, type Caller, CurrentCaller, erasures as contract } from "@agent-platform/contract"
import { type Erasure, ErasureId, WorkspaceId } from "@agent-platform/kernel"
import { type ErasureSubject, Erasures, type ErasureTotals } from "@agent-platform/platform"
import { AgentId, RunId, SessionId } from "@agent-platform/runs"
import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { workspaceCaller } from "../callers.ts"
import { idempotencyProblems, notFound } from "../edge/problems.ts"
import { type Creating, makeIdempotencyOf, replayHeaders } from "../idempotency.ts"
import { idOf } from "../ids.ts"
import { quotaProblems } from "../quotas.ts"
import { busyReading, makeTurns } from "../turns.ts"

// Answers are written here, because one endpoint has two: 200 with a preview, or 202 with an erasure.
const encodeErasure = Schema.encodeSync(Schema.toCodecJson(contract.ErasureView))
const encodePreview = Schema.encodeSync(Schema.toCodecJson(contract.ErasurePreview))

const erasureView = ({ subjectId, ...erasure }: Erasure) => ({ ...erasure, resourceId: subjectId })

const previewOf = ({ kind, subjectId }: ErasureSubject, counts: ErasureTotals) =>
  HttpServerResponse.jsonUnsafe(encodePreview({ kind, resourceId: subjectId, counts }))

/** A workspace key is bound to its workspace, and so is anybody who names one. */
const withinOf = ({ workspaceId }: Caller): WorkspaceId | undefined => workspaceId

interface Call extends Creating {
  readonly query: { readonly dry_run?: "true" | "false" }
}

/** Erasures of runs, sessions, agents and workspaces. */
export const layerErasures = HttpApiBuilder.group(
  Api,
  "erasures",
  Effect.fnUntraced(function* (handlers) {
    const erasures = yield* Erasures
    const idempotencyOf = yield* makeIdempotencyOf
    const takeTurn = yield* makeTurns({ max: 2, perOrganization: 1, refused: busyReading })

    const erase = Effect.fnUntraced(
      function* (subject: ErasureSubject, route: string, call: Call) {
        const caller = yield* CurrentCaller
        if (call.query.dry_run === "true") {
          yield* takeTurn(caller)
          return previewOf(subject, yield* erasures.countErasure(subject))
        }
        const owner = subject.workspaceId ?? subject.organizationId
        const idempotency = yield* idempotencyOf(route, owner, call, { hasBody: false })
        const { replayed, value } = yield* erasures.askErasure({ ...subject, actor: caller.actor, idempotency })
        return HttpServerResponse.jsonUnsafe(encodeErasure(erasureView(value)), {
          status: 202,
          headers: { location: `/api/v1/erasures/${value.id}`, ...replayHeaders(replayed) }
        })
      },
      Effect.catchTags({
        ...idempotencyProblems,
        ...quotaProblems,
        NothingToErase: notFound,
        ErasureNotFound: notFound
      })
    )

    return handlers.handleAll({
      eraseRun: Effect.fnUntraced(function* (call) {
        const { organizationId, workspaceId } = yield* workspaceCaller
        const subjectId = yield* idOf(RunId, call.params.run_id)
        return yield* erase(
          { kind: "run", organizationId, workspaceId, subjectId },
          `DELETE /api/v1/runs/${subjectId}`,
          call
        )
      }),

      eraseSession: Effect.fnUntraced(function* (call) {
        const { organizationId, workspaceId } = yield* workspaceCaller
        const subjectId = yield* idOf(SessionId, call.params.session_id)
        return yield* erase(
          { kind: "session", organizationId, workspaceId, subjectId },
          `DELETE /api/v1/sessions/${subjectId}`,
          call
        )
      }),

      eraseAgent: Effect.fnUntraced(function* (call) {
        const { organizationId, workspaceId } = yield* workspaceCaller
        const subjectId = yield* idOf(AgentId, call.params.agent_id)
        return yield* erase(
          { kind: "agent", organizationId, workspaceId, subjectId },
          `POST /api/v1/agents/${subjectId}/erase`,
          call
        )
      }),

      eraseWorkspace: Effect.fnUntraced(function* (call) {
        const { organizationId } = yield* CurrentCaller
        const subjectId = yield* idOf(WorkspaceId, call.params.workspace_id)
        return yield* erase(
          { kind: "workspace", organizationId, workspaceId: null, subjectId },
          `DELETE /api/v1/org/workspaces/${subjectId}`,
          call
        )
      }),

      getErasure: Effect.fnUntraced(
        function* ({ params }) {
          const caller = yield* CurrentCaller
          const id = yield* idOf(ErasureId, params.erasure_id)
          const { organizationId } = caller
          return erasureView(yield* erasures.readErasure({ organizationId, within: withinOf(caller), id }))
        },
        Effect.catchTag("ErasureNotFound", notFound)
      )
    })
  })
)
