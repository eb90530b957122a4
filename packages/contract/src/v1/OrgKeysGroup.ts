/** The organization's own keys. Spec: Organization API keys. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access } from "./access.ts"
import { CreatedApiKeyView, NewWebhookGrant } from "./apiKeySchemas.ts"
import { created, idempotencyHeaders } from "./creations.ts"
import { Conflict, UnprocessableContent } from "./errors.ts"
import { keyOperations, revocationParameters } from "./keyOperations.ts"
import { JsonBody, Strict } from "./middleware.ts"
import { documentParameters, pageParameters } from "./queries.ts"

/** The group behind `/api/v1/org/api-keys`. */
export class OrgKeysGroup extends HttpApiGroup.make("orgKeys")
  .add(
    HttpApiEndpoint.post("createOrgApiKey", "/api/v1/org/api-keys", keyOperations.create)
      .middleware(JsonBody)
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Summary, "Create an organization key")
      .annotate(
        OpenApi.Description,
        "Creates a key that reaches every workspace of the organization, and shows its value, this once."
      ),
    HttpApiEndpoint.post("createWebhookGrant", "/api/v1/org/webhook-grants", {
      headers: idempotencyHeaders,
      payload: NewWebhookGrant,
      success: created(CreatedApiKeyView),
      error: [Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "session", scope: "org:admin" })
      .annotate(OpenApi.Summary, "Make a webhook grant")
      .annotate(
        OpenApi.Description,
        "Webhooks are operated by organization keys alone. This makes one for the page that an owner or admin has open, with " +
          "`webhooks:read` and `webhooks:write`, and shows its value, this once. It ends with the session, with the " +
          "membership or with another role, and after 12 hours at the latest. It is listed among the organization's keys, and " +
          "can be revoked as they can; its scopes and its end cannot be changed."
      ),
    HttpApiEndpoint.get("listOrgApiKeys", "/api/v1/org/api-keys", keyOperations.list)
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List the organization's keys")
      .annotate(
        OpenApi.Description,
        "The organization's own keys, newest first; never their values, never workspace keys."
      ),
    HttpApiEndpoint.patch("updateOrgApiKey", "/api/v1/org/api-keys/:key_id", keyOperations.update)
      .middleware(JsonBody)
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Summary, "Change an organization key")
      .annotate(
        OpenApi.Description,
        "Changes an organization key. The caller must have every scope that the key has, and the changed key must be one " +
          "that the caller could create. Holds from the very next request of the key on. The rest is as for workspace keys."
      ),
    HttpApiEndpoint.post("rotateOrgApiKey", "/api/v1/org/api-keys/:key_id/rotate", keyOperations.rotate)
      .middleware(JsonBody)
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Summary, "Rotate an organization key")
      .annotate(
        OpenApi.Description,
        "Creates an organization key that may do the same and shows its value, this once. The old value works for the " +
          "grace, and not a moment longer. The caller must have every scope that the key has. The rest is as for workspace " +
          "keys."
      ),
    HttpApiEndpoint.delete("revokeOrgApiKey", "/api/v1/org/api-keys/:key_id", keyOperations.revoke)
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Transform, documentParameters(revocationParameters.docs))
      .annotate(OpenApi.Summary, "Revoke an organization key")
      .annotate(
        OpenApi.Description,
        "Revokes an organization key, from its very next request on and for ever; with `descendants` those that came of " +
          "it as well, keys of workspaces included. The id of a workspace key is 404."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Organization keys")
  .annotate(OpenApi.Description, "Keys that reach every workspace of the organization") {}
