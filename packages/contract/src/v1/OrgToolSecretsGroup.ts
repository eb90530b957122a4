/** Templates of an organization for the tool secrets of its workspaces. */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Strict } from "./middleware.ts"
import { templateEndpoints } from "./templateEndpoints.ts"
import { NewToolSecret, ToolSecretChange, ToolSecretTemplatePage, ToolSecretTemplateView } from "./toolSecretSchemas.ts"

const templates = templateEndpoints(
  "ToolSecret",
  "/api/v1/org/tool-secrets",
  { create: NewToolSecret, change: ToolSecretChange, view: ToolSecretTemplateView, page: ToolSecretTemplatePage },
  {
    things: "tool secrets",
    thing: "secret",
    hidden: { ofMany: "values", ofOne: "value" },
    create:
      "Makes a tool secret for every workspace of the organization, and for every one that is created later: each is a secret of its workspace with " +
      "an id of its own. A job brings it to them, workspace by workspace. A workspace that has a secret of its own in that place, or as many as it may " +
      "have, is left out; its part in the template says so. A token URL that may not be called is 422 `url_not_public`.",
    update:
      "Changes the members in the body, and brings them to every workspace that has not set them for itself. Host pattern, header and token URL are for " +
      "ever, as those of a secret are.",
    remove:
      "Deletes a template with its value. The secrets that follow it stay in their workspaces, as their own. The second time it is 404."
  }
)

/** The group behind `/api/v1/org/tool-secrets`. */
export class OrgToolSecretsGroup extends HttpApiGroup.make("orgToolSecrets")
  .add(templates.list, templates.create, templates.read, templates.update, templates.remove, templates.workspaces)
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Templates of tool secrets")
  .annotate(OpenApi.Description, "Tool secrets that every workspace of an organization gets") {}
