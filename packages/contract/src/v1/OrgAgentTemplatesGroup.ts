/** Templates of an organization for the agents of its workspaces. */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { AGENT_BODY_BYTES_MAX, BodyLimit } from "./access.ts"
import { AgentChange, AgentTemplatePage, AgentTemplateView, NewAgent } from "./agentSchemas.ts"
import { Strict } from "./middleware.ts"
import { templateEndpoints } from "./templateEndpoints.ts"

const templates = templateEndpoints(
  "Agent",
  "/api/v1/org/agent-templates",
  { create: NewAgent, change: AgentChange, view: AgentTemplateView, page: AgentTemplatePage },
  {
    things: "agents",
    thing: "agent",
    hidden: { ofMany: "secrets", ofOne: "secrets" },
    create:
      "Makes an agent for every workspace of the organization, and for every one that is created later: each is an agent of its workspace with an id of " +
      "its own. A job brings it to them, workspace by workspace. A workspace that has as many agents as it may have is left out; its part in the " +
      "template says so. Requests to an `endpoint` are signed with one secret for the agents of all workspaces, which this answer shows.",
    update:
      "Changes the members in the body, and brings them to every workspace that has not set them for itself. Headers and signing secrets are kept and " +
      "made as for a change of an agent. Where what a workspace has set for itself does not go with the change, its agent stays as it is, and its part in " +
      "the template says `conflict`.",
    remove:
      "Deletes a template with its secrets. The agents that follow it stay in their workspaces, as their own. The second time it is 404."
  }
)

/** The group behind `/api/v1/org/agent-templates`. */
export class OrgAgentTemplatesGroup extends HttpApiGroup.make("orgAgentTemplates")
  .add(
    templates.list,
    templates.create.annotate(BodyLimit, AGENT_BODY_BYTES_MAX),
    templates.read,
    templates.update.annotate(BodyLimit, AGENT_BODY_BYTES_MAX),
    templates.remove,
    templates.workspaces
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Templates of agents")
  .annotate(OpenApi.Description, "Agents that every workspace of an organization gets") {}
