/** A workspace's credentials for the hosts that its agents' tools call. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access } from "./access.ts"
import { created, idempotencyHeaders, ifMatchHeaders } from "./creations.ts"
import { Conflict, NotFound, UnprocessableContent } from "./errors.ts"
import { id } from "./formats.ts"
import { JsonBody, Strict } from "./middleware.ts"
import { documentParameters, pageParameters } from "./queries.ts"
import {
  DeletedToolSecret,
  NewToolSecret,
  ToolSecretChange,
  ToolSecretPage,
  ToolSecretView
} from "./toolSecretSchemas.ts"

const PATH = "/api/v1/tool-secrets"
const secretPath = { secret_id: id("The secret's id") }

/** The group behind `/api/v1/tool-secrets`. */
export class ToolSecretsGroup extends HttpApiGroup.make("toolSecrets")
  .add(
    HttpApiEndpoint.get("listToolSecrets", PATH, { query: pageParameters.fields, success: ToolSecretPage })
      .annotate(Access, { reach: "workspace", scope: "tool_secrets:read" })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List tool secrets")
      .annotate(OpenApi.Description, "The workspace's tool secrets, newest first; never their values."),
    HttpApiEndpoint.post("createToolSecret", PATH, {
      headers: idempotencyHeaders,
      payload: NewToolSecret,
      success: created(ToolSecretView),
      error: [NotFound, Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "workspace", scope: "tool_secrets:write" })
      .annotate(OpenApi.Summary, "Add a tool secret")
      .annotate(
        OpenApi.Description,
        "Adds a credential that the workspace's agents send without seeing it: every request of the tool `http_request`, and every " +
          "request to a server of tools, whose host fits the pattern gets the header. With `oauth` that is `Authorization: Bearer` " +
          "and an access token, which is fetched by the grant client_credentials and kept in memory until shortly before it " +
          "expires. A name that is taken, or a header that the pattern has a secret for already, is 409 `tool_secret_exists`. A " +
          "token URL that may not be called is 422 `url_not_public`."
      ),
    HttpApiEndpoint.get("getToolSecret", `${PATH}/:secret_id`, {
      params: secretPath,
      success: ToolSecretView,
      error: NotFound
    })
      .annotate(Access, { reach: "workspace", scope: "tool_secrets:read" })
      .annotate(OpenApi.Summary, "Read a tool secret")
      .annotate(OpenApi.Description, "One tool secret without its value."),
    HttpApiEndpoint.patch("updateToolSecret", `${PATH}/:secret_id`, {
      params: secretPath,
      headers: ifMatchHeaders,
      payload: ToolSecretChange,
      success: ToolSecretView,
      error: [NotFound, Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "workspace", scope: "tool_secrets:write" })
      .annotate(OpenApi.Summary, "Change a tool secret")
      .annotate(
        OpenApi.Description,
        "Changes the members in the body. A new `value` or `client_secret` takes the place of the old one, which is erased; the next " +
          "request is sent with it. Host pattern, header and token URL are for ever, so that nobody can have a value that they do " +
          "not know sent elsewhere: delete the secret and add another."
      ),
    HttpApiEndpoint.delete("deleteToolSecret", `${PATH}/:secret_id`, {
      params: secretPath,
      success: DeletedToolSecret,
      error: NotFound
    })
      .annotate(Access, { reach: "workspace", scope: "tool_secrets:write" })
      .annotate(OpenApi.Summary, "Delete a tool secret")
      .annotate(
        OpenApi.Description,
        "Deletes a secret with its value: no request begins with it from then on. The second time it is 404. The credential itself " +
          "still works at its host: revoke it there, too."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Tool secrets")
  .annotate(OpenApi.Description, "Credentials that agents' tools send without their models seeing them") {}
