/** Templates of an organization for the tool secrets of its workspaces. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access } from "./access.ts"
import { created, idempotencyHeaders, ifMatchHeaders } from "./creations.ts"
import { Conflict, NotFound, UnprocessableContent } from "./errors.ts"
import { id } from "./formats.ts"
import { JsonBody, Strict } from "./middleware.ts"
import { documentParameters, pageParameters } from "./queries.ts"
import { DeletedTemplate, TemplateWorkspacePage } from "./templateSchemas.ts"
import { NewToolSecret, ToolSecretChange, ToolSecretTemplatePage, ToolSecretTemplateView } from "./toolSecretSchemas.ts"

const PATH = "/api/v1/org/tool-secrets"
const templatePath = { template_id: id("The template's id") }

/** The group behind `/api/v1/org/tool-secrets`. */
export class OrgToolSecretsGroup extends HttpApiGroup.make("orgToolSecrets")
  .add(
    HttpApiEndpoint.get("listToolSecretTemplates", PATH, {
      query: pageParameters.fields,
      success: ToolSecretTemplatePage,
      error: UnprocessableContent
    })
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List templates of tool secrets")
      .annotate(
        OpenApi.Description,
        "The organization's templates of tool secrets, newest first, and how far each has come; never their values."
      ),
    HttpApiEndpoint.post("createToolSecretTemplate", PATH, {
      headers: idempotencyHeaders,
      payload: NewToolSecret,
      success: created(ToolSecretTemplateView),
      error: [NotFound, Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Summary, "Make a template of tool secrets")
      .annotate(
        OpenApi.Description,
        "Makes a tool secret for every workspace of the organization, and for every one that is created later: each is a secret of its workspace with " +
          "an id of its own. A job brings it to them, workspace by workspace. A workspace that has a secret of its own in that place, or as many as it may " +
          "have, is left out; its part in the template says so. A token URL that may not be called is 422 `url_not_public`."
      ),
    HttpApiEndpoint.get("getToolSecretTemplate", `${PATH}/:template_id`, {
      params: templatePath,
      success: ToolSecretTemplateView,
      error: NotFound
    })
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Summary, "Read a template of tool secrets")
      .annotate(OpenApi.Description, "One template without its value, and how far its latest version has come."),
    HttpApiEndpoint.patch("updateToolSecretTemplate", `${PATH}/:template_id`, {
      params: templatePath,
      headers: ifMatchHeaders,
      payload: ToolSecretChange,
      success: ToolSecretTemplateView,
      error: [NotFound, Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Summary, "Change a template of tool secrets")
      .annotate(
        OpenApi.Description,
        "Changes the members in the body, and brings them to every workspace that has not set them for itself. Host pattern, header and token URL are for " +
          "ever, as those of a secret are."
      ),
    HttpApiEndpoint.delete("deleteToolSecretTemplate", `${PATH}/:template_id`, {
      params: templatePath,
      success: DeletedTemplate,
      error: NotFound
    })
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Summary, "Delete a template of tool secrets")
      .annotate(
        OpenApi.Description,
        "Deletes a template with its value. The secrets that follow it stay in their workspaces, as their own. The second time it is 404."
      ),
    HttpApiEndpoint.get("listToolSecretTemplateWorkspaces", `${PATH}/:template_id/workspaces`, {
      params: templatePath,
      query: pageParameters.fields,
      success: TemplateWorkspacePage,
      error: [NotFound, UnprocessableContent]
    })
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List the workspaces of a template of tool secrets")
      .annotate(
        OpenApi.Description,
        "What each workspace has of the template: its secret, the version, what it has set for itself, or why it has none. In the order of their ids."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Templates of tool secrets")
  .annotate(OpenApi.Description, "Tool secrets that every workspace of an organization gets") {}
