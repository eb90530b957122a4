/** Agents and their inbound webhooks. Spec: Agents. */
import { AGENT_VERSIONS_MAX } from "@agent-platform/runs"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access, AGENT_BODY_BYTES_MAX, BodyLimit } from "./access.ts"
import { AgentChange, AgentPage, AgentVersionPage, AgentView, DeletedAgent, NewAgent } from "./agentSchemas.ts"
import { created, idempotencyHeaders, ifMatchHeaders } from "./creations.ts"
import { Conflict, NotFound, UnprocessableContent } from "./errors.ts"
import { id } from "./formats.ts"
import { AgentWebhook, DeletedAgentWebhook, NewAgentWebhook } from "./inboundWebhooks.ts"
import { JsonBody, Strict } from "./middleware.ts"
import { documentParameters, pageParameters } from "./queries.ts"

const agentPath = { agent_id: id("The agent's id") }

/** The group behind `/api/v1/agents`. */
export class AgentsGroup extends HttpApiGroup.make("agents")
  .add(
    HttpApiEndpoint.get("listAgents", "/api/v1/agents", { query: pageParameters.fields, success: AgentPage })
      .annotate(Access, { reach: "workspace", scope: "agents:read" })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List agents")
      .annotate(OpenApi.Description, "The workspace's agents, newest first; archived ones are left out."),
    HttpApiEndpoint.post("createAgent", "/api/v1/agents", {
      headers: idempotencyHeaders,
      payload: NewAgent,
      success: created(AgentView),
      error: [Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(BodyLimit, AGENT_BODY_BYTES_MAX)
      .annotate(Access, { reach: "workspace", scope: "agents:write" })
      .annotate(OpenApi.Summary, "Create an agent")
      .annotate(
        OpenApi.Description,
        "Creates an agent in the workspace. Its recipes must be registered in this deployment. A recipe that is not " +
          "registered is 422. URLs must be HTTPS at public addresses, or be admitted by the operator, else 422 `url_not_public`."
      ),
    HttpApiEndpoint.get("getAgent", "/api/v1/agents/:agent_id", {
      params: agentPath,
      success: AgentView,
      error: NotFound
    })
      .annotate(Access, { reach: "workspace", scope: "agents:read" })
      .annotate(OpenApi.Summary, "Read an agent")
      .annotate(OpenApi.Description, "One agent, archived or not."),
    HttpApiEndpoint.get("listAgentVersions", "/api/v1/agents/:agent_id/versions", {
      params: agentPath,
      query: pageParameters.fields,
      success: AgentVersionPage,
      error: NotFound
    })
      .annotate(Access, { reach: "workspace", scope: "agents:read" })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List an agent's versions")
      .annotate(
        OpenApi.Description,
        `The last ${AGENT_VERSIONS_MAX} versions of an agent, archived or not, the latest first: its settings from each change on, ` +
          "without secrets. A run shows the version that it was executed with as `agent_version`."
      ),
    HttpApiEndpoint.patch("updateAgent", "/api/v1/agents/:agent_id", {
      params: agentPath,
      headers: ifMatchHeaders,
      payload: AgentChange,
      success: AgentView,
      error: [NotFound, Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(BodyLimit, AGENT_BODY_BYTES_MAX)
      .annotate(Access, { reach: "workspace", scope: "agents:write" })
      .annotate(OpenApi.Summary, "Change an agent")
      .annotate(
        OpenApi.Description,
        "Changes the members in the body and leaves the rest. Runs that have not begun yet are executed by the " +
          "agent as it is then. Null empties what can be null, and a change that changes nothing counts no " +
          "version. `mcp_servers` is replaced as a whole; a server without `headers` keeps those that it had under " +
          "the same name and the very same URL, and `{}` drops them. An `endpoint` with another URL gets a new " +
          "signing secret, which this answer shows; `rotate_secret` makes one for the same URL."
      ),
    HttpApiEndpoint.delete("deleteAgent", "/api/v1/agents/:agent_id", {
      params: agentPath,
      success: DeletedAgent,
      error: NotFound
    })
      .annotate(Access, { reach: "workspace", scope: "agents:write" })
      .annotate(OpenApi.Summary, "Delete an agent")
      .annotate(
        OpenApi.Description,
        "Archives the agent: no run of it can be triggered, its inbound URL is gone at once, its past runs stay. " +
          "Queued runs are still executed, and the agent can still be read by its id. The second time the answer " +
          "is the same."
      ),
    HttpApiEndpoint.post("createAgentWebhook", "/api/v1/agents/:agent_id/webhooks", {
      params: agentPath,
      headers: idempotencyHeaders,
      payload: NewAgentWebhook,
      success: created(AgentWebhook),
      error: [NotFound, Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "workspace", scope: "agents:write" })
      .annotate(OpenApi.Summary, "Create or replace an agent's inbound webhook")
      .annotate(
        OpenApi.Description,
        "Gives the agent a URL that triggers runs. The one that it had answers 404 at once. URL and secret are shown " +
          "once. Only a hash of the URL's token is stored, and the secret sealed."
      ),
    HttpApiEndpoint.delete("deleteAgentWebhook", "/api/v1/agents/:agent_id/webhooks", {
      params: agentPath,
      success: DeletedAgentWebhook,
      error: NotFound
    })
      .annotate(Access, { reach: "workspace", scope: "agents:write" })
      .annotate(OpenApi.Summary, "Delete an agent's inbound webhook")
      .annotate(
        OpenApi.Description,
        "The URL stops accepting requests at once; past runs that it dispatched are kept. The second time the answer is " +
          "the same; for an agent that never had one it is 404."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Agents")
  .annotate(OpenApi.Description, "Recipes with their settings, which runs execute") {}
