/** A workspace's own keys for model providers. Spec: BYOK. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access } from "./access.ts"
import { created, idempotencyHeaders, ifMatchHeaders } from "./creations.ts"
import { Conflict, NotFound, UnprocessableContent } from "./errors.ts"
import { id } from "./formats.ts"
import { JsonBody, Strict } from "./middleware.ts"
import {
  NewProviderKey,
  ProviderKeyChange,
  ProviderKeyPage,
  ProviderKeyView,
  RevokedProviderKey
} from "./providerKeySchemas.ts"
import { documentParameters, pageParameters } from "./queries.ts"

// The path parameter is called `provider` everywhere: a router and OpenAPI take one name only for the same place of a path.
const providerPath = {
  // An unknown provider is 404 like everything that does not exist, so the names are documented and not checked.
  provider: Schema.String.annotate({ description: "The provider", format: "provider" })
}
const keyPath = { provider: id("The id of a key, not a provider: the two stand at the same place of the path") }

/** The group behind `/api/v1/byok`. */
export class ByokGroup extends HttpApiGroup.make("byok")
  .add(
    HttpApiEndpoint.get("listProviderKeys", "/api/v1/byok/", {
      query: pageParameters.fields,
      success: ProviderKeyPage
    })
      .annotate(Access, { reach: "workspace", scope: "byok:read" })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List provider keys")
      .annotate(OpenApi.Description, "The workspace's provider keys, newest first; never their values."),
    HttpApiEndpoint.post("registerProviderKey", "/api/v1/byok/:provider", {
      params: providerPath,
      headers: idempotencyHeaders,
      payload: NewProviderKey,
      success: created(ProviderKeyView),
      error: [NotFound, Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "workspace", scope: "byok:write" })
      .annotate(OpenApi.Summary, "Register a provider key")
      .annotate(
        OpenApi.Description,
        "Registers the workspace's own key for a provider. The provider is asked first whether it takes the key: " +
          "one that it refuses is 422 `provider_rejected_key`; where it is out of reach the key is kept as " +
          "`unverified`. It is asked for its list of models, which costs no tokens; a repetition under the same " +
          "Idempotency-Key asks nothing. A key that the provider takes, but not now, is kept as `rate_limited` or " +
          "`quota_exhausted`. An unknown provider is 404."
      ),
    HttpApiEndpoint.patch("updateProviderKey", "/api/v1/byok/:provider", {
      params: keyPath,
      headers: ifMatchHeaders,
      payload: ProviderKeyChange,
      success: ProviderKeyView,
      error: [NotFound, Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "workspace", scope: "byok:write" })
      .annotate(OpenApi.Summary, "Change a provider key")
      .annotate(
        OpenApi.Description,
        "Changes the members in the body. A new `key` is asked about like that of a new registration, and takes " +
          "the place of the old value, which is erased. Provider and base URL are for ever. Runs that begin later " +
          "use the new value; one that the provider refuses changes nothing. A revoked key is 422. `version` " +
          "counts changes by people, not changes of the key's health."
      ),
    HttpApiEndpoint.post("validateProviderKey", "/api/v1/byok/:provider/validate", {
      params: keyPath,
      success: ProviderKeyView,
      error: [NotFound, Conflict, UnprocessableContent]
    })
      .annotate(Access, { reach: "workspace", scope: "byok:write" })
      .annotate(OpenApi.Summary, "Check a provider key")
      .annotate(
        OpenApi.Description,
        "Asks the provider, by a call that costs nothing, whether it takes the key, and answers the key with the " +
          "outcome. 409 `provider_key_unreadable` for a value that this deployment cannot open, 422 for a revoked " +
          "key."
      ),
    HttpApiEndpoint.delete("revokeProviderKey", "/api/v1/byok/:provider", {
      params: keyPath,
      success: RevokedProviderKey,
      error: NotFound
    })
      .annotate(Access, { reach: "workspace", scope: "byok:write" })
      .annotate(OpenApi.Summary, "Revoke a provider key")
      .annotate(
        OpenApi.Description,
        "Revokes a key and erases its value. Nothing is called with it from then on. Doing it again answers the same. " +
          "The key itself still works at the provider: revoke it there, too."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Provider keys")
  .annotate(OpenApi.Description, "A workspace's own keys for model providers (BYOK)") {}
