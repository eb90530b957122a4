import { Api } from "@agent-platform/contract"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { makeKeyHandlers } from "./keyHandlers.ts"
import { makeWebhookGrantHandler } from "./webhookGrants.ts"

/** Handlers of the organization's own keys, whatever workspace the request names. */
export const layerOrgKeys = HttpApiBuilder.group(
  Api,
  "orgKeys",
  Effect.fnUntraced(function* (handlers) {
    const keys = yield* makeKeyHandlers("/api/v1/org/api-keys", ({ organizationId }) => ({
      organizationId,
      workspaceId: null
    }))
    const createWebhookGrant = yield* makeWebhookGrantHandler
    return handlers.handleAll({
      createOrgApiKey: keys.create,
      createWebhookGrant,
      listOrgApiKeys: keys.list,
      updateOrgApiKey: keys.update,
      rotateOrgApiKey: keys.rotate,
      revokeOrgApiKey: keys.revoke
    })
  })
)
