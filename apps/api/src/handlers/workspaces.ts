import { Api, type Caller, CurrentCaller } from "@agent-platform/contract"
import { WorkspaceId } from "@agent-platform/kernel"
import { type ListingCaller, Tenancy } from "@agent-platform/keys"
import { DateTime, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { grantorOf, workspaceCaller } from "../callers.ts"
import { makeCursors } from "../cursors.ts"
import { idempotencyProblems, invalid, notFound } from "../edge/problems.ts"
import { creation, makeIdempotencyOf } from "../idempotency.ts"
import { idOf } from "../ids.ts"
import { quotaProblems } from "../quotas.ts"
import { canonicalUsd } from "../views/money.ts"
import { currentWorkspaceView, workspaceView } from "../views/workspaceView.ts"
import { lostRightProblems } from "./lostRightProblems.ts"

const PATH = "/api/v1/org/workspaces"

/** The caller of a list of workspaces; null for an organization key, which reads all of them. */
const listingCallerOf = ({ credential, workspaceId }: Caller): ListingCaller => {
  if (credential.type === "session") return { userId: credential.user.id }
  return credential.kind === "workspace" && workspaceId !== undefined ? { workspaceId } : null
}

const problems = {
  WorkspaceNotFound: notFound,
  TimezoneUnknown: () => invalid("/timezone", "must be a time zone of the IANA database, as Europe/Berlin")
}

/** Handlers of the organization's workspaces and of the workspace that a request names. */
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

      listReachableWorkspaces: Effect.fnUntraced(function* ({ query }) {
        const caller = yield* CurrentCaller
        const by = listingCallerOf(caller)
        const owner = `${caller.organizationId} ${JSON.stringify(by)}`
        return yield* cursors.page(
          { route: "GET /api/v1/auth/workspaces", owner, filters: {} },
          query,
          (page) => tenancy.listReachableWorkspaces({ caller, by, page }),
          ({ role, workspace }) => ({ id: workspace.id, name: workspace.name, role })
        )
      }),

      createWorkspace: Effect.fnUntraced(function* ({ headers, payload, request }) {
        const caller = yield* CurrentCaller
        const { allowPlatformKeys, monthlyCapUsd, name, retentionDays, timezone } = payload
        const created = yield* tenancy
          .createWorkspace({
            caller,
            by: grantorOf(caller),
            name,
            timezone,
            monthlyCapUsd: monthlyCapUsd == null ? null : canonicalUsd(monthlyCapUsd),
            allowPlatformKeys,
            retentionDays: retentionDays ?? null,
            idempotency: yield* idempotencyOf(`POST ${PATH}`, caller.organizationId, { headers, request })
          })
          .pipe(
            Effect.catchTags({ ...idempotencyProblems, ...quotaProblems, ...lostRightProblems(caller), ...problems })
          )
        return creation(workspaceView(created.value, yield* DateTime.now), created.replayed)
      }),

      listWorkspaces: Effect.fnUntraced(function* ({ query }) {
        const caller = yield* CurrentCaller
        const scope = { route: `GET ${PATH}`, owner: caller.organizationId, filters: {} }
        const now = yield* DateTime.now
        return yield* cursors.page(
          scope,
          query,
          (page) => tenancy.listWorkspaces({ caller, page }),
          (workspace) => workspaceView(workspace, now)
        )
      }),

      updateWorkspace: Effect.fnUntraced(function* ({ params, payload }) {
        const caller = yield* CurrentCaller
        const { allowPlatformKeys, monthlyCapUsd, name, retentionDays, timezone } = payload
        const workspace = yield* tenancy
          .updateWorkspace({
            caller,
            by: grantorOf(caller),
            workspaceId: yield* idOf(WorkspaceId, params.workspace_id),
            name,
            timezone,
            monthlyCapUsd: monthlyCapUsd == null ? monthlyCapUsd : canonicalUsd(monthlyCapUsd),
            allowPlatformKeys,
            retentionDays
          })
          .pipe(Effect.catchTags({ ...lostRightProblems(caller), ...problems }))
        return workspaceView(workspace, yield* DateTime.now)
      })
    })
  })
)
