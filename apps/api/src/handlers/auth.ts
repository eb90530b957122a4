import { Api, type Caller, CurrentCaller } from "@agent-platform/contract"
import type { KeyOwner } from "@agent-platform/keys"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { makeKeyHandlers } from "./keyHandlers.ts"

const workspaceOwner = ({ organizationId, workspaceId }: Caller): KeyOwner => ({
  organizationId,
  workspaceId: workspaceId ?? null
})

const me = Effect.map(CurrentCaller, ({ key, organizationId, scopes, workspaceId }) => ({
  auth: {
    method: key.kind === "workspace" ? ("api_key" as const) : ("org_api_key" as const),
    keyId: key.id,
    keyName: key.name,
    scopes,
    expiresAt: key.expiresAt,
    provider: null
  },
  workspace: workspaceId === undefined ? null : { id: workspaceId, name: null },
  organization: { id: organizationId, name: null },
  user: null,
  csrfToken: null
}))

/** Identity and workspace keys. */
export const layerAuth = HttpApiBuilder.group(
  Api,
  "auth",
  Effect.fnUntraced(function* (handlers) {
    const keys = yield* makeKeyHandlers("/api/v1/auth/api-keys", workspaceOwner)
    return handlers.handleAll({
      me: () => me,
      createApiKey: keys.create,
      listApiKeys: keys.list,
      revokeApiKey: keys.revoke
    })
  })
)
