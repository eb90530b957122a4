/** Identity and API keys. Spec: Endpoints, Identity and API keys. */
import { ApiKeyStatus, KeyKind, ORGANIZATION_SCOPES, Scope, WORKSPACE_SCOPES } from "@agent-platform/keys"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access } from "./access.ts"
import { created, idempotencyHeaders } from "./creations.ts"
import { Conflict, NotFound, UnprocessableContent } from "./errors.ts"
import { integer, maybe, metadata, metadataOut, name, text, time } from "./formats.ts"
import { JsonBody, Strict } from "./middleware.ts"
import { documentParameters, pageParameters } from "./queries.ts"
import { wire } from "./wire.ts"

/** The longest life that `expires_in_seconds` can give a key: ten years. */
export const EXPIRES_IN_SECONDS_MAX = 315_360_000

/** As many scopes as there are. */
const SCOPES_MAX = WORKSPACE_SCOPES.length + ORGANIZATION_SCOPES.length

const scopes = Schema.Array(Scope).annotate({ description: "What the key may do", examples: [["runs:read"]] })

/** The body that creates a key, of a workspace or of an organization. */
export const NewApiKey = wire(
  {
    name: name("What the key is for"),
    scopes: Schema.optionalKey(
      Schema.Array(Scope)
        .annotate({
          description: "What the key may do; never more than the key that makes it. Missing: all of that"
        })
        .check(Schema.isBetweenLength(1, SCOPES_MAX, { message: `must name 1 to ${SCOPES_MAX} scopes` }))
    ),
    expiresAt: maybe(time("When the key stops working; never later than the key that makes it")),
    expiresInSeconds: maybe(integer("The same as a time from now", 1, EXPIRES_IN_SECONDS_MAX)),
    metadata: Schema.optionalKey(metadata)
  },
  {
    identifier: "NewApiKey",
    description: "A key to create",
    examples: [{ name: "CI", scopes: ["runs:read", "runs:write"], expires_in_seconds: 86_400 }],
    check: (body) =>
      (body.expires_at ?? null) !== null && (body.expires_in_seconds ?? null) !== null
        ? { path: ["expires_in_seconds"], issue: "must not be given together with expires_at" }
        : undefined
  }
)

const keyFields = {
  id: text("The key's id"),
  name: text("What the key is for"),
  hint: text("What may be shown of the key for ever"),
  kind: KeyKind.annotate({ description: "Whose key it is: one workspace's or the organization's" }),
  workspaceId: Schema.NullOr(Schema.String).annotate({
    description: "The key's workspace; null for an organization key"
  }),
  scopes,
  status: ApiKeyStatus.annotate({ description: "Only an active key is accepted" }),
  version: Schema.Int.annotate({ description: "Counts the changes of the key" }),
  createdAt: time("When the key was created"),
  createdBy: wire(
    {
      type: text("What kind of actor: user, agent or system"),
      id: text("The actor's id"),
      label: text("The actor's name at the time")
    },
    { identifier: "Creator", description: "Who created the key" }
  ),
  expiresAt: Schema.NullOr(time("When the key stops working; null for never")),
  lastUsedAt: Schema.NullOr(time("When the key was last used, as far as that was noted")),
  metadata: metadataOut
}

/** A key as a list shows it: without its value. */
export const ApiKeyView = wire(keyFields, { identifier: "ApiKey", description: "A key without its value" })

/** A key as its creation shows it: with its value, this once. */
export const CreatedApiKeyView = wire(
  {
    ...keyFields,
    key: Schema.NullOr(Schema.String).annotate({
      description: "The key's value. Shown this once: null when the request is repeated under its Idempotency-Key"
    })
  },
  { identifier: "CreatedApiKey", description: "A new key with its value" }
)

/** A page of keys. */
export const ApiKeyPage = wire(
  {
    items: Schema.Array(ApiKeyView).annotate({ description: "Newest first, revoked ones included" }),
    nextCursor: Schema.NullOr(Schema.String).annotate({ description: "For the next page; null at the end" })
  },
  { identifier: "ApiKeyPage", description: "Keys, newest first" }
)

/** A revoked key. */
export const RevokedApiKey = wire(
  {
    id: text("The key's id"),
    status: Schema.Literal("revoked"),
    revokedAt: time("When it was revoked for the first time")
  },
  { identifier: "RevokedApiKey", description: "A key that works no more" }
)

const Named = (identifier: string, description: string) =>
  wire(
    {
      id: text("Its id"),
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
        keyId: Schema.NullOr(Schema.String).annotate({ description: "The key's id" }),
        keyName: Schema.NullOr(Schema.String).annotate({ description: "The key's name" }),
        scopes,
        expiresAt: Schema.NullOr(time("When the credential stops working; null for never")),
        provider: Schema.NullOr(Schema.String).annotate({ description: "The identity provider of a session" })
      },
      { identifier: "CallerAuth", description: "How the caller was recognised" }
    ),
    workspace: Schema.NullOr(Named("WorkspaceName", "The workspace that the request is about")),
    organization: Named("OrganizationName", "The organization of the credential"),
    user: Schema.NullOr(
      wire(
        {
          id: text("The user's id"),
          email: text("The user's e-mail address"),
          name: text("The user's name"),
          role: Schema.NullOr(Schema.String).annotate({
            description:
              "The user's role in the workspace that the request is about, or else in the organization; null for none"
          })
        },
        { identifier: "UserName", description: "The person of a session; null for a key" }
      )
    ),
    csrfToken: Schema.NullOr(Schema.String).annotate({
      description: "For unsafe requests of a session; null for a key"
    })
  },
  { identifier: "Me", description: "The current caller" }
)

/** The path of one key. */
export const keyPath = { key_id: text("The key's id") }

/** The group behind `/api/v1/auth`. */
export class AuthGroup extends HttpApiGroup.make("auth")
  .add(
    HttpApiEndpoint.get("me", "/api/v1/auth/me", { success: Me })
      .annotate(Access, { reach: "caller", scope: null })
      .annotate(OpenApi.Summary, "Who am I?")
      .annotate(
        OpenApi.Description,
        "The current caller: its workspace and organization, and how it was recognised. Any valid credential will do."
      ),
    HttpApiEndpoint.post("createApiKey", "/api/v1/auth/api-keys", {
      headers: idempotencyHeaders,
      payload: NewApiKey,
      success: created(CreatedApiKeyView),
      error: [Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "workspace", scope: "keys:write" })
      .annotate(OpenApi.Summary, "Create a workspace key")
      .annotate(
        OpenApi.Description,
        "Creates a key of the workspace and shows its value, this once. A key never gets more scopes, or a longer life, " +
          "than the key that makes it."
      ),
    HttpApiEndpoint.get("listApiKeys", "/api/v1/auth/api-keys", {
      query: pageParameters.fields,
      success: ApiKeyPage
    })
      .annotate(Access, { reach: "workspace", scope: "keys:read" })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List the workspace's keys")
      .annotate(OpenApi.Description, "The workspace's keys, newest first; never their values."),
    HttpApiEndpoint.delete("revokeApiKey", "/api/v1/auth/api-keys/:key_id", {
      params: keyPath,
      success: RevokedApiKey,
      error: NotFound
    })
      .annotate(Access, { reach: "workspace", scope: "keys:write" })
      .annotate(OpenApi.Summary, "Revoke a workspace key")
      .annotate(
        OpenApi.Description,
        "Revokes a key of the workspace, from its very next request on and for ever. Doing it again answers the same."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({
      title: "Identity and API keys",
      description: "Who the caller is, and the keys of a workspace"
    })
  ) {}
