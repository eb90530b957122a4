/** Agents. Spec: Endpoints, Agents. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access } from "./access.ts"
import { created, idempotencyHeaders } from "./creations.ts"
import { Conflict, UnprocessableContent } from "./errors.ts"
import { bounded, maybe, name, orElse, text, time, usd, usdAmount } from "./formats.ts"
import { JsonBody, Strict } from "./middleware.ts"
import { documentParameters, pageParameters } from "./queries.ts"
import { wire } from "./wire.ts"

/** Most recipes beside an agent's own. */
export const RECIPES_MAX = 20

/** The longest description of an agent, in characters. */
export const DESCRIPTION_LENGTH_MAX = 2_000

/** The longest instructions of an agent, in characters. */
export const INSTRUCTIONS_LENGTH_MAX = 100_000

const recipeName = bounded("The name of a registered recipe, such as demo", 1, 100)

/** The body that creates an agent. */
export const NewAgent = wire(
  {
    name: name("The agent's name"),
    description: maybe(bounded("What the agent does", 0, DESCRIPTION_LENGTH_MAX)),
    recipe: orElse(recipeName.annotate({ default: "demo" }), "demo"),
    recipes: Schema.optionalKey(
      Schema.Array(recipeName)
        .annotate({ description: "Further recipes that a run may name" })
        .check(Schema.isMaxLength(RECIPES_MAX, { message: `must name at most ${RECIPES_MAX} recipes` }))
    ),
    model: maybe(bounded("The model that the recipe uses", 1, 200)),
    instructions: maybe(bounded("What the model is told before anything else", 0, INSTRUCTIONS_LENGTH_MAX)),
    maxCostUsd: maybe(usdAmount("The most that one run may cost, in USD"))
  },
  {
    identifier: "NewAgent",
    description: "An agent to create",
    examples: [{ name: "Greeter", recipe: "demo", description: "Says hello" }]
  }
)

/** An agent. */
export const AgentView = wire(
  {
    agentId: text("The agent's id"),
    name: text("The agent's name"),
    description: Schema.NullOr(Schema.String).annotate({ description: "What the agent does" }),
    recipe: text("The recipe of a run that names none"),
    recipes: Schema.Array(Schema.String).annotate({ description: "Further recipes that a run may name" }),
    model: Schema.NullOr(Schema.String).annotate({ description: "The model that the recipe uses" }),
    instructions: Schema.NullOr(Schema.String).annotate({ description: "What the model is told before anything else" }),
    tools: Schema.Array(Schema.Json).annotate({ description: "Always empty in this version" }),
    mcpServers: Schema.Array(Schema.Json).annotate({ description: "Always empty in this version" }),
    endpoint: Schema.Null.annotate({ description: "Always null in this version" }),
    maxCostUsd: Schema.NullOr(usd("The most that one run may cost, in USD")),
    inputSchema: Schema.Null.annotate({ description: "Always null in this version" }),
    version: Schema.Int.annotate({ description: "Counts the changes of the agent" }),
    status: Schema.Literal("active").annotate({ description: "Whether runs can be triggered" }),
    webhook: Schema.Null.annotate({ description: "Always null in this version" }),
    createdAt: time("When the agent was created"),
    updatedAt: time("When the agent was last changed")
  },
  { identifier: "Agent", description: "What runs are made of: a recipe with its settings" }
)

/** A page of agents. */
export const AgentPage = wire(
  {
    items: Schema.Array(AgentView).annotate({ description: "Newest first" }),
    nextCursor: Schema.NullOr(Schema.String).annotate({ description: "For the next page; null at the end" })
  },
  { identifier: "AgentPage", description: "Agents, newest first" }
)

/** The group behind `/api/v1/agents`. */
export class AgentsGroup extends HttpApiGroup.make("agents")
  .add(
    HttpApiEndpoint.get("listAgents", "/api/v1/agents", { query: pageParameters.fields, success: AgentPage })
      .annotate(Access, { reach: "workspace", scope: "agents:read" })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List agents")
      .annotate(OpenApi.Description, "The workspace's agents, newest first."),
    HttpApiEndpoint.post("createAgent", "/api/v1/agents", {
      headers: idempotencyHeaders,
      payload: NewAgent,
      success: created(AgentView),
      error: [Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "workspace", scope: "agents:write" })
      .annotate(OpenApi.Summary, "Create an agent")
      .annotate(
        OpenApi.Description,
        "Creates an agent in the workspace. Its recipes must be registered in this deployment."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({
      title: "Agents",
      description: "What runs are made of"
    })
  ) {}
