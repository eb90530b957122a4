/** Templates of an organization for the provider keys of its workspaces. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access } from "./access.ts"
import { NotFound } from "./errors.ts"
import { Strict } from "./middleware.ts"
import {
  NewProviderKeyTemplate,
  ProviderKeyChange,
  ProviderKeyTemplatePage,
  ProviderKeyTemplateView
} from "./providerKeySchemas.ts"
import { templateAccess, templateEndpoints, templatePath } from "./templateEndpoints.ts"

const PATH = "/api/v1/org/provider-keys"

const templates = templateEndpoints(
  "ProviderKey",
  PATH,
  {
    create: NewProviderKeyTemplate,
    change: ProviderKeyChange,
    view: ProviderKeyTemplateView,
    page: ProviderKeyTemplatePage
  },
  {
    things: "provider keys",
    thing: "key",
    hidden: { ofMany: "secrets", ofOne: "secrets" },
    create:
      "Registers a provider key for every workspace of the organization, and for every one that is created later: each is a key of its workspace with an id " +
      "of its own, beside those that it has. The provider is asked once whether it takes the key: one that it refuses is 422 `provider_rejected_key`. A job " +
      "brings it to them, workspace by workspace. A workspace that has as many keys as it may have is left out; its part in the template says so.",
    update:
      "Changes the members in the body, and brings them to every workspace that has not set them for itself. A new `key` is asked about once. Provider and " +
      "base URL are for ever. A revoked template is 422.",
    remove:
      "Deletes a template with its value. The keys that follow it stay in their workspaces, as their own: to take the key out of use, revoke the template first. " +
      "The second time it is 404."
  }
)

/** The group behind `/api/v1/org/provider-keys`. */
export class OrgProviderKeysGroup extends HttpApiGroup.make("orgProviderKeys")
  .add(
    templates.list,
    templates.create,
    templates.read,
    templates.update,
    templates.remove,
    HttpApiEndpoint.post("revokeProviderKeyTemplate", `${PATH}/:template_id/revoke`, {
      params: templatePath,
      success: ProviderKeyTemplateView,
      error: [NotFound]
    })
      .annotate(Access, templateAccess)
      .annotate(OpenApi.Summary, "Revoke a template of provider keys")
      .annotate(
        OpenApi.Description,
        "Erases the value, and has the key of every workspace revoked that has not given it a value of its own: `spread` says how far that has come. " +
          "Workspaces that are created later get none. Doing it again answers the same. The key itself still works at the provider: revoke it there, too."
      ),
    templates.workspaces
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Templates of provider keys")
  .annotate(OpenApi.Description, "Provider keys that every workspace of an organization gets") {}
