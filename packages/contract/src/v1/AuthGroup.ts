/** Identity and API keys. Spec: Identity and API keys. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access } from "./access.ts"
import { scopes } from "./apiKeySchemas.ts"
import { formed, id, nullableId, nullableText, text, time } from "./formats.ts"
import { keyOperations, revocationParameters } from "./keyOperations.ts"
import { JsonBody, Strict } from "./middleware.ts"
import { documentParameters, pageParameters } from "./queries.ts"
import { wire } from "./wire.ts"

const Named = (identifier: string, description: string) =>
  wire(
    {
      id: id("Its id"),
      name: text("Its name")
    },
    { identifier, description }
  )

/** The caller, as `auth/me` shows it. */
export const Me = wire(
  {
    auth: wire(
      {
        method: Schema.Literals(["api_key", "org_api_key", "oauth_session"]).annotate({
          description: "How the caller was recognised"
        }),
        keyId: nullableId("The key's id"),
        keyName: nullableText("The key's name"),
        scopes,
        expiresAt: Schema.NullOr(time("When the credential stops working; null for never")),
        provider: nullableText("The identity provider of a session")
      },
      { identifier: "CallerAuth", description: "How the caller was recognised" }
    ),
    workspace: Schema.NullOr(Named("WorkspaceName", "The workspace that the request is about")),
    organization: Named("OrganizationName", "The organization of the credential"),
    user: Schema.NullOr(
      wire(
        {
          id: id("The user's id"),
          email: formed("email", "The user's e-mail address"),
          name: text("The user's name"),
          role: nullableText(
            "The user's role in the workspace that the request is about, or else in the organization; null for none"
          )
        },
        { identifier: "UserName", description: "The person of a session; null for a key" }
      )
    ),
    csrfToken: nullableText("For unsafe requests of a session; null for a key")
  },
  { identifier: "Me", description: "The current caller" }
)

/** The group behind `/api/v1/auth`. */
export class AuthGroup extends HttpApiGroup.make("auth")
  .add(
    HttpApiEndpoint.get("me", "/api/v1/auth/me", { success: Me })
      .annotate(Access, { reach: "caller", scope: null })
      .annotate(OpenApi.Summary, "Who am I?")
      .annotate(
        OpenApi.Description,
        "The current caller: its workspace and organization, and how it was recognised. Any valid credential " +
          "will do. `workspace` is null for an organization key that names none. `provider`, `user` and " +
          "`csrf_token` are null for a key; `key_id` and `key_name` are null for a session."
      ),
    HttpApiEndpoint.post("createApiKey", "/api/v1/auth/api-keys", keyOperations.create)
      .middleware(JsonBody)
      .annotate(Access, { reach: "workspace", scope: "keys:write" })
      .annotate(OpenApi.Summary, "Create a workspace key")
      .annotate(
        OpenApi.Description,
        "Creates a key of the workspace and shows its value, this once. A key never gets more scopes, a longer life, or " +
          "more networks than the key that makes it."
      ),
    HttpApiEndpoint.get("listApiKeys", "/api/v1/auth/api-keys", keyOperations.list)
      .annotate(Access, { reach: "workspace", scope: "keys:read" })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List the workspace's keys")
      .annotate(OpenApi.Description, "The workspace's keys, newest first; never their values."),
    HttpApiEndpoint.patch("updateApiKey", "/api/v1/auth/api-keys/:key_id", keyOperations.update)
      .middleware(JsonBody)
      .annotate(Access, { reach: "workspace", scope: "keys:write" })
      .annotate(OpenApi.Summary, "Change a workspace key")
      .annotate(
        OpenApi.Description,
        "Changes a key of the workspace. The caller must have every scope that the key has, and the changed key " +
          "must be one that the caller could create. Holds from the very next request of the key on. Absent " +
          "members stay as they are; `scopes`, `allowed_ips`, `metadata` and `rate_limit` are replaced as a whole. " +
          "A body that changes nothing answers the key as it is. A key that is revoked, expired or rotating is 422."
      ),
    HttpApiEndpoint.post("rotateApiKey", "/api/v1/auth/api-keys/:key_id/rotate", keyOperations.rotate)
      .middleware(JsonBody)
      .annotate(Access, { reach: "workspace", scope: "keys:write" })
      .annotate(OpenApi.Summary, "Rotate a workspace key")
      .annotate(
        OpenApi.Description,
        "Creates a key that may do the same and shows its value, this once. The old value works for the grace, and not a " +
          "moment longer. The caller must have every scope that the key has. The successor has the same name and " +
          "`expires_at`. A key can rotate itself. Only an active key can be rotated, and once, else 422; of several at " +
          "once one makes the successor."
      ),
    HttpApiEndpoint.delete("revokeApiKey", "/api/v1/auth/api-keys/:key_id", keyOperations.revoke)
      .annotate(Access, { reach: "workspace", scope: "keys:write" })
      .annotate(OpenApi.Transform, documentParameters(revocationParameters.docs))
      .annotate(OpenApi.Summary, "Revoke a workspace key")
      .annotate(
        OpenApi.Description,
        "Revokes a key of the workspace, from its very next request on and for ever; with `descendants` those that came " +
          "of it as well. Doing it again answers the same. A key can revoke itself. Its invitations lapse."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Identity and API keys")
  .annotate(OpenApi.Description, "Who the caller is, and the keys of a workspace") {}
