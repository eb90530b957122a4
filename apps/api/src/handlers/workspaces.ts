import { Api, CurrentCaller } from "@agent-platform/contract"
import { parseId, WorkspaceId } from "@agent-platform/kernel"
import { Tenancy } from "@agent-platform/keys"
import { DateTime, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { grantorOf, workspaceCaller } from "../callers.ts"
import { makeCursors } from "../cursors.ts"
import { idempotencyProblems, invalid, notFound } from "../edge/problems.ts"
import { creation, makeIdempotencyOf } from "../idempotency.ts"
import { quotaProblems } from "../quotas.ts"
import { canonicalUsd } from "../views/money.ts"
import { currentWorkspaceView, workspaceView } from "../views/workspaceView.ts"
import { heldProblems } from "./heldProblems.ts"

const PATH = "/api/v1/org/workspaces"

const problems = {
  WorkspaceNotFound: () => Effect.fail(notFound()),
  TimezoneUnknown: () => Effect.fail(invalid("/timezone", "must be a time zone of the IANA database, as Europe/Berlin"))
}

/** The organization's workspaces, and the one that a request is about. */
export const layerWorkspaces = HttpApiBuilder.group(
  Api,
  "workspaces",
  Effect.fnUntraced(function* (handlers) {
    const tenancy = yield* Tenancy
    const cursors = yield* makeCursors
    const idempotencyOf = yield* makeIdempotencyOf
    return handlers.handleAll({
      readWorkspace: Effect.fnUntraced(function* () {
        const caller = yield* workspaceCaller
        const read = yield* tenancy
          .readWorkspace({ caller })
          .pipe(Effect.catchTag("WorkspaceNotFound", problems.WorkspaceNotFound))
        return currentWorkspaceView(read, yield* DateTime.now)
      }),

      createWorkspace: Effect.fnUntraced(function* ({ headers, payload, request }) {
        const caller = yield* CurrentCaller
        const { allowPlatformKeys, monthlyCapUsd, name, timezone } = payload
        const created = yield* tenancy
          .createWorkspace({
            caller,
            by: grantorOf(caller),
            name,
            timezone,
            monthlyCapUsd: monthlyCapUsd == null ? null : canonicalUsd(monthlyCapUsd),
            allowPlatformKeys,
            idempotency: yield* idempotencyOf(`POST ${PATH}`, caller.organizationId, { headers, request })
          })
          .pipe(Effect.catchTags({ ...idempotencyProblems, ...quotaProblems, ...heldProblems(caller), ...problems }))
        return creation(workspaceView(created.value, yield* DateTime.now), created.replayed)
      }),

      listWorkspaces: Effect.fnUntraced(function* ({ query }) {
        const caller = yield* CurrentCaller
        const scope = { route: `GET ${PATH}`, owner: caller.organizationId, filters: {} }
        const before = yield* cursors.read(scope, query.cursor)
        const page = yield* tenancy.listWorkspaces({ caller, page: { limit: query.limit, before } })
        const now = yield* DateTime.now
        return {
          items: page.items.map((workspace) => workspaceView(workspace, now)),
          nextCursor: cursors.write(scope, page.next)
        }
      }),

      updateWorkspace: Effect.fnUntraced(function* ({ params, payload }) {
        const caller = yield* CurrentCaller
        const workspaceId = parseId(WorkspaceId, params.workspace_id)
        if (workspaceId === undefined) return yield* notFound()
        const { allowPlatformKeys, monthlyCapUsd, name, timezone } = payload
        const workspace = yield* tenancy
          .updateWorkspace({
            caller,
            by: grantorOf(caller),
            workspaceId,
            name,
            timezone,
            monthlyCapUsd: monthlyCapUsd == null ? monthlyCapUsd : canonicalUsd(monthlyCapUsd),
            allowPlatformKeys
          })
          .pipe(Effect.catchTags({ ...heldProblems(caller), ...problems }))
        return workspaceView(workspace, yield* DateTime.now)
      })
    })
  })
)
