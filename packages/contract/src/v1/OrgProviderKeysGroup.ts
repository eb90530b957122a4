/** Templates of an organization for the provider keys of its workspaces. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access } from "./access.ts"
import { created, idempotencyHeaders, ifMatchHeaders } from "./creations.ts"
import { Conflict, NotFound, UnprocessableContent } from "./errors.ts"
import { id } from "./formats.ts"
import { JsonBody, Strict } from "./middleware.ts"
import {
  NewProviderKeyTemplate,
  ProviderKeyChange,
  ProviderKeyTemplatePage,
  ProviderKeyTemplateView
} from "./providerKeySchemas.ts"
import { documentParameters, pageParameters } from "./queries.ts"
import { DeletedTemplate, TemplateWorkspacePage } from "./templateSchemas.ts"

const PATH = "/api/v1/org/provider-keys"
const templatePath = { template_id: id("The template's id") }

/** The group behind `/api/v1/org/provider-keys`. */
export class OrgProviderKeysGroup extends HttpApiGroup.make("orgProviderKeys")
  .add(
    HttpApiEndpoint.get("listProviderKeyTemplates", PATH, {
      query: pageParameters.fields,
      success: ProviderKeyTemplatePage,
      error: UnprocessableContent
    })
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List templates of provider keys")
      .annotate(
        OpenApi.Description,
        "The organization's templates of provider keys, newest first, and how far each has come; never their secrets."
      ),
    HttpApiEndpoint.post("createProviderKeyTemplate", PATH, {
      headers: idempotencyHeaders,
      payload: NewProviderKeyTemplate,
      success: created(ProviderKeyTemplateView),
      error: [NotFound, Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Summary, "Make a template of provider keys")
      .annotate(
        OpenApi.Description,
        "Registers a provider key for every workspace of the organization, and for every one that is created later: each is a key of its workspace with an id " +
          "of its own, beside those that it has. The provider is asked once whether it takes the key: one that it refuses is 422 `provider_rejected_key`. A job " +
          "brings it to them, workspace by workspace. A workspace that has as many keys as it may have is left out; its part in the template says so."
      ),
    HttpApiEndpoint.get("getProviderKeyTemplate", `${PATH}/:template_id`, {
      params: templatePath,
      success: ProviderKeyTemplateView,
      error: NotFound
    })
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Summary, "Read a template of provider keys")
      .annotate(OpenApi.Description, "One template without its secrets, and how far its latest version has come."),
    HttpApiEndpoint.patch("updateProviderKeyTemplate", `${PATH}/:template_id`, {
      params: templatePath,
      headers: ifMatchHeaders,
      payload: ProviderKeyChange,
      success: ProviderKeyTemplateView,
      error: [NotFound, Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Summary, "Change a template of provider keys")
      .annotate(
        OpenApi.Description,
        "Changes the members in the body, and brings them to every workspace that has not set them for itself. A new `key` is asked about once. Provider and " +
          "base URL are for ever. A revoked template is 422."
      ),
    HttpApiEndpoint.delete("deleteProviderKeyTemplate", `${PATH}/:template_id`, {
      params: templatePath,
      success: DeletedTemplate,
      error: NotFound
    })
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Summary, "Delete a template of provider keys")
      .annotate(
        OpenApi.Description,
        "Deletes a template with its value. The keys that follow it stay in their workspaces, as their own: to take the key out of use, revoke the template first. " +
          "The second time it is 404."
      ),
    HttpApiEndpoint.post("revokeProviderKeyTemplate", `${PATH}/:template_id/revoke`, {
      params: templatePath,
      success: ProviderKeyTemplateView,
      error: [NotFound]
    })
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Summary, "Revoke a template of provider keys")
      .annotate(
        OpenApi.Description,
        "Erases the value, and has the key of every workspace revoked that has not given it a value of its own: `spread` says how far that has come. " +
          "Workspaces that are created later get none. Doing it again answers the same. The key itself still works at the provider: revoke it there, too."
      ),
    HttpApiEndpoint.get("listProviderKeyTemplateWorkspaces", `${PATH}/:template_id/workspaces`, {
      params: templatePath,
      query: pageParameters.fields,
      success: TemplateWorkspacePage,
      error: [NotFound, UnprocessableContent]
    })
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List the workspaces of a template of provider keys")
      .annotate(
        OpenApi.Description,
        "What each workspace has of the template: its key, the version, what it has set for itself, or why it has none. In the order of their ids."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Templates of provider keys")
  .annotate(OpenApi.Description, "Provider keys that every workspace of an organization gets") {}
