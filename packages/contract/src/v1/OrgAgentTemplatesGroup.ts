/** Templates of an organization for the agents of its workspaces. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access, AGENT_BODY_BYTES_MAX, BodyLimit } from "./access.ts"
import { AgentChange, AgentTemplatePage, AgentTemplateView, NewAgent } from "./agentSchemas.ts"
import { created, idempotencyHeaders, ifMatchHeaders } from "./creations.ts"
import { Conflict, NotFound, UnprocessableContent } from "./errors.ts"
import { id } from "./formats.ts"
import { JsonBody, Strict } from "./middleware.ts"
import { documentParameters, pageParameters } from "./queries.ts"
import { DeletedTemplate, TemplateWorkspacePage } from "./templateSchemas.ts"

const PATH = "/api/v1/org/agent-templates"
const templatePath = { template_id: id("The template's id") }

/** The group behind `/api/v1/org/agent-templates`. */
export class OrgAgentTemplatesGroup extends HttpApiGroup.make("orgAgentTemplates")
  .add(
    HttpApiEndpoint.get("listAgentTemplates", PATH, {
      query: pageParameters.fields,
      success: AgentTemplatePage,
      error: UnprocessableContent
    })
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List templates of agents")
      .annotate(
        OpenApi.Description,
        "The organization's templates of agents, newest first, and how far each has come; never their secrets."
      ),
    HttpApiEndpoint.post("createAgentTemplate", PATH, {
      headers: idempotencyHeaders,
      payload: NewAgent,
      success: created(AgentTemplateView),
      error: [NotFound, Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(BodyLimit, AGENT_BODY_BYTES_MAX)
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Summary, "Make a template of agents")
      .annotate(
        OpenApi.Description,
        "Makes an agent for every workspace of the organization, and for every one that is created later: each is an agent of its workspace with an id of " +
          "its own. A job brings it to them, workspace by workspace. A workspace that has as many agents as it may have is left out; its part in the " +
          "template says so. Requests to an `endpoint` are signed with one secret for the agents of all workspaces, which this answer shows."
      ),
    HttpApiEndpoint.get("getAgentTemplate", `${PATH}/:template_id`, {
      params: templatePath,
      success: AgentTemplateView,
      error: NotFound
    })
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Summary, "Read a template of agents")
      .annotate(OpenApi.Description, "One template without its secrets, and how far its latest version has come."),
    HttpApiEndpoint.patch("updateAgentTemplate", `${PATH}/:template_id`, {
      params: templatePath,
      headers: ifMatchHeaders,
      payload: AgentChange,
      success: AgentTemplateView,
      error: [NotFound, Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(BodyLimit, AGENT_BODY_BYTES_MAX)
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Summary, "Change a template of agents")
      .annotate(
        OpenApi.Description,
        "Changes the members in the body, and brings them to every workspace that has not set them for itself. Headers and signing secrets are kept and " +
          "made as for a change of an agent. Where what a workspace has set for itself does not go with the change, its agent stays as it is, and its part in " +
          "the template says `conflict`."
      ),
    HttpApiEndpoint.delete("deleteAgentTemplate", `${PATH}/:template_id`, {
      params: templatePath,
      success: DeletedTemplate,
      error: NotFound
    })
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Summary, "Delete a template of agents")
      .annotate(
        OpenApi.Description,
        "Deletes a template with its secrets. The agents that follow it stay in their workspaces, as their own. The second time it is 404."
      ),
    HttpApiEndpoint.get("listAgentTemplateWorkspaces", `${PATH}/:template_id/workspaces`, {
      params: templatePath,
      query: pageParameters.fields,
      success: TemplateWorkspacePage,
      error: [NotFound, UnprocessableContent]
    })
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List the workspaces of a template of agents")
      .annotate(
        OpenApi.Description,
        "What each workspace has of the template: its agent, the version, what it has set for itself, or why it has none. In the order of their ids."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Templates of agents")
  .annotate(OpenApi.Description, "Agents that every workspace of an organization gets") {}
