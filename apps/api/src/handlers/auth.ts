import { Api, type Caller, CurrentCaller } from "@agent-platform/contract"
import { type KeyOwner, Tenancy } from "@agent-platform/keys"
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { notFound } from "../edge/problems.ts"
import { makeKeyHandlers } from "./keyHandlers.ts"

const workspaceOwner = ({ organizationId, workspaceId }: Caller): KeyOwner => ({
  organizationId,
  workspaceId: workspaceId ?? null
})

const authOf = (credential: Caller["credential"]) =>
  credential.type === "session"
    ? { method: "oauth_session" as const, keyId: null, keyName: null, provider: credential.provider }
    : {
        method: credential.kind === "workspace" ? ("api_key" as const) : ("org_api_key" as const),
        keyId: credential.id,
        keyName: credential.name,
        provider: null
      }

const me = Effect.gen(function* () {
  const { credential, organizationId, scopes, workspaceId } = yield* CurrentCaller
  const tenancy = yield* Tenancy
  const { organization, workspace } = yield* tenancy
    .readTenant({ organizationId, workspaceId })
    .pipe(Effect.catchTag("WorkspaceNotFound", notFound))
  return {
    auth: { ...authOf(credential), scopes, expiresAt: credential.expiresAt },
    workspace: workspace === null ? null : { id: workspace.id, name: workspace.name },
    organization: { id: organization.id, name: organization.name },
    user: credential.type === "session" ? credential.user : null,
    csrfToken: credential.type === "session" ? Redacted.value(credential.csrfToken) : null
  }
})

/** Identity and workspace keys. */
export const layerAuth = HttpApiBuilder.group(
  Api,
  "auth",
  Effect.fnUntraced(function* (handlers) {
    const tenancy = yield* Tenancy
    const keys = yield* makeKeyHandlers("/api/v1/auth/api-keys", workspaceOwner)
    return handlers.handleAll({
      me: () => Effect.provideService(me, Tenancy, tenancy),
      createApiKey: keys.create,
      listApiKeys: keys.list,
      updateApiKey: keys.update,
      rotateApiKey: keys.rotate,
      revokeApiKey: keys.revoke
    })
  })
)
