import { Api, type Caller, CurrentCaller } from "@agent-platform/contract"
import { type KeyOwner, Keys } from "@agent-platform/keys"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { notFound } from "../edge/problems.ts"
import { makeKeyHandlers } from "./keyHandlers.ts"

const workspaceOwner = ({ organizationId, workspaceId }: Caller): KeyOwner => ({
  organizationId,
  workspaceId: workspaceId ?? null
})

const me = Effect.gen(function* () {
  const { key, organizationId, scopes, workspaceId } = yield* CurrentCaller
  const keys = yield* Keys
  const { organization, workspace } = yield* keys
    .readTenant({ organizationId, workspaceId })
    .pipe(Effect.catchTag("WorkspaceNotFound", () => Effect.fail(notFound())))
  return {
    auth: {
      method: key.kind === "workspace" ? ("api_key" as const) : ("org_api_key" as const),
      keyId: key.id,
      keyName: key.name,
      scopes,
      expiresAt: key.expiresAt,
      provider: null
    },
    workspace: workspace === null ? null : { id: workspace.id, name: workspace.name },
    organization: { id: organization.id, name: organization.name },
    user: null,
    csrfToken: null
  }
})

/** Identity and workspace keys. */
export const layerAuth = HttpApiBuilder.group(
  Api,
  "auth",
  Effect.fnUntraced(function* (handlers) {
    const identity = yield* Keys
    const keys = yield* makeKeyHandlers("/api/v1/auth/api-keys", workspaceOwner)
    return handlers.handleAll({
      me: () => Effect.provideService(me, Keys, identity),
      createApiKey: keys.create,
      listApiKeys: keys.list,
      revokeApiKey: keys.revoke
    })
  })
)
