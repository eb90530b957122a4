/** Agents as they cross the wire. Spec: Agents. */
import { ENDPOINT_GRACE_SECONDS_MAX } from "@agent-platform/runs"
import { Schema } from "effect"
import {
  bounded,
  count,
  documentedAs,
  flag,
  id,
  integer,
  maybe,
  name,
  nullableObject,
  nullableText,
  orElse,
  pageFields,
  text,
  time,
  uri,
  usd,
  usdAmount
} from "./formats.ts"
import { HEADER_NAME, isSettable } from "./headerNames.ts"
import { Verification } from "./inboundWebhooks.ts"
import { agentModelIn, jsonSchema } from "./modelSchemas.ts"
import { agentModelOut } from "./modelViews.ts"
import { templateFields } from "./templateSchemas.ts"
import { wire } from "./wire.ts"

/** Most recipes beside an agent's own. */
export const RECIPES_MAX = 20

/** Most servers of tools of an agent. */
export const MCP_SERVERS_MAX = 16

/** Most headers for a server of tools. */
export const MCP_HEADERS_MAX = 20

/** The longest value of such a header, in characters. */
export const MCP_HEADER_LENGTH_MAX = 4_096

/** Most tools of one server that an agent can be confined to, and the longest name of one, in characters. */
export const MCP_TOOLS_MAX = 128
const MCP_TOOL_NAME_LENGTH_MAX = 128

/** The longest description of an agent, in characters. */
export const DESCRIPTION_LENGTH_MAX = 2_000

/** The longest URL, in characters. */
const URL_LENGTH_MAX = 2_048

const recipeName = bounded("A recipe that is registered in the deployment, such as chat, http or demo", 1, 100)

const url = (description: string) => bounded(description, 1, URL_LENGTH_MAX)

const headerValue = Schema.String.check(
  Schema.isPattern(/^[\t\x20-\x7e]*$/u, { message: "must have visible ASCII characters only" }),
  Schema.isMaxLength(MCP_HEADER_LENGTH_MAX, { message: `must have up to ${MCP_HEADER_LENGTH_MAX} characters` })
)

const headerFaults = (headers: Readonly<Record<string, string>>) => {
  const alike = Map.groupBy(Object.keys(headers), (header) => header.toLowerCase())
  return Object.keys(headers).flatMap((header) => {
    const lowered = header.toLowerCase()
    if (!isSettable(header)) {
      return [{ path: [header], issue: "must have the name of a header that can be set" }]
    }
    if (alike.get(lowered)?.length !== 1) {
      return [{ path: [header], issue: "must be there once, whatever the case of its name" }]
    }
    return []
  })
}

/** A server of tools to reach. */
export const NewMcpServer = wire(
  {
    name: Schema.String.annotate({ description: "Name, unique within the agent" }).check(
      Schema.isPattern(/^[A-Za-z0-9_-]{1,64}$/u, { message: "must have 1 to 64 letters, digits, _ and -" })
    ),
    url: url(
      "Where it is: HTTPS at public addresses, or what the operator admits, as `npm start` does loopback addresses"
    ),
    headers: Schema.optionalKey(
      Schema.Record(Schema.String, headerValue)
        .annotate({
          description:
            "Sent with every request to it, such as a token. Write-only. Missing keeps those of the server that has this " +
            "name and this URL already"
        })
        .check(
          Schema.isMaxProperties(MCP_HEADERS_MAX, { message: `must have at most ${MCP_HEADERS_MAX} headers` }),
          Schema.makeFilter(headerFaults, {
            toJsonSchema: documentedAs({ propertyNames: { pattern: HEADER_NAME.source } })
          })
        )
    ),
    tools: maybe(
      Schema.Array(bounded("The name of a tool, as the server has it", 1, MCP_TOOL_NAME_LENGTH_MAX))
        .annotate({
          description:
            "The tools of the server that the model gets, and no others; missing or null: all that it has. One that the server lacks " +
            "is named in the log",
          examples: [["search", "fetch"]]
        })
        .check(
          Schema.isBetweenLength(1, MCP_TOOLS_MAX, { message: `must name 1 to ${MCP_TOOLS_MAX} tools` }),
          Schema.makeFilter((names) => new Set(names).size === names.length, {
            message: "must not name a tool twice",
            toJsonSchema: documentedAs({ uniqueItems: true })
          })
        )
    )
  },
  {
    identifier: "NewMcpServer",
    description: "A server of tools that speaks the Model Context Protocol over HTTP",
    examples: [
      { name: "search", url: "https://tools.example.com/mcp", headers: { Authorization: "Bearer token-of-the-server" } }
    ]
  }
)

/** Where an agent of the caller's own is. */
export const NewAgentEndpoint = wire(
  {
    url: url(
      "Where the recipe http calls the agent: HTTPS at public addresses, or what the operator admits, as `npm start` does loopback addresses"
    ),
    rotateSecret: Schema.optionalKey(flag("Makes a new signing secret for a URL that stays the same, too")),
    graceSeconds: Schema.optionalKey(
      integer(
        "With rotate_secret: how long the secret before signs as well, in seconds. A day unless given",
        0,
        ENDPOINT_GRACE_SECONDS_MAX
      )
    )
  },
  {
    identifier: "NewAgentEndpoint",
    description: "Where an agent of one's own is reached",
    examples: [{ url: "https://agents.example.com/run" }]
  }
)

const distinctNames = (servers: ReadonlyArray<{ readonly name: string }>) =>
  new Set(servers.map((server) => server.name)).size === servers.length

const recipes = Schema.Array(recipeName)
  .annotate({ description: "Further recipes that a run may name" })
  .check(Schema.isMaxLength(RECIPES_MAX, { message: `must name at most ${RECIPES_MAX} recipes` }))

const settingsIn = {
  description: maybe(bounded("Description of the agent", 0, DESCRIPTION_LENGTH_MAX)),
  recipes: Schema.optionalKey(recipes),
  ...agentModelIn,
  mcpServers: Schema.optionalKey(
    Schema.Array(NewMcpServer)
      .annotate({ description: "Servers of tools (MCP over HTTP) that the recipe chat may use" })
      .check(
        Schema.isMaxLength(MCP_SERVERS_MAX, { message: `must name at most ${MCP_SERVERS_MAX} servers` }),
        Schema.makeFilter(distinctNames, { message: "must not name two servers the same" })
      )
  ),
  endpoint: maybe(NewAgentEndpoint),
  maxCostUsd: maybe(usdAmount("The most that one run may cost in all of its attempts, in USD; a run may ask for less")),
  inputSchema: maybe(
    jsonSchema(
      "The JSON schema that the input of a run must have, of up to 64 KiB; runs whose input differs are refused with 422 at `/input`"
    )
  )
}

/** The body that creates an agent. */
export const NewAgent = wire(
  {
    name: name("The agent's name"),
    recipe: orElse(recipeName.annotate({ default: "demo" }), "demo"),
    ...settingsIn
  },
  {
    identifier: "NewAgent",
    description: "An agent to create",
    examples: [{ name: "Greeter", recipe: "demo", description: "Says hello" }]
  }
)

/** The body that changes an agent. */
export const AgentChange = wire(
  {
    name: Schema.optionalKey(name("The agent's name")),
    recipe: Schema.optionalKey(recipeName),
    ...settingsIn
  },
  {
    identifier: "AgentChange",
    description: "Changes of an agent; absent members stay as they are",
    examples: [{ instructions: "Be brief." }]
  }
)

const settingsOut = {
  name: text("The agent's name"),
  description: nullableText("Description of the agent"),
  recipe: text("The recipe of a run that names none"),
  recipes: Schema.Array(Schema.String).annotate({ description: "Further recipes that a run may name" }),
  ...agentModelOut,
  mcpServers: Schema.Array(
    wire(
      {
        name: text("Its name"),
        url: uri("Where it is"),
        hasHeaders: flag("Whether headers are kept for it; they are not shown"),
        tools: Schema.NullOr(Schema.Array(Schema.String)).annotate({
          description: "The tools of the server that the model gets; null for all"
        })
      },
      { identifier: "McpServer", description: "A server of tools" }
    )
  ).annotate({ description: "Servers of tools (MCP over HTTP) that the recipe chat may use" }),
  maxCostUsd: Schema.NullOr(
    usd("The most that one run may cost in all of its attempts, in USD; a run may ask for less")
  ),
  inputSchema: nullableObject("The JSON schema that the input of a run must have; null for any")
}

/** The settings of an agent as they are shown. */
const shownSettings = {
  ...settingsOut,
  endpoint: Schema.NullOr(
    wire(
      {
        url: uri("Where the recipe http calls the agent"),
        signingSecret: nullableText(
          "The secret that requests are signed with. Shown once, when it is created; null afterwards"
        )
      },
      { identifier: "AgentEndpoint", description: "Where an agent of one's own is reached" }
    )
  )
}

const statusOut = Schema.Literals(["active", "archived"])

/** An agent. */
export const AgentView = wire(
  {
    agentId: id("The agent's id"),
    ...shownSettings,
    version: count("Counts the changes of the agent, from 1. For `If-Match`"),
    status: statusOut.annotate({
      description: "Whether runs can be triggered; an archived agent stays readable"
    }),
    webhook: Schema.NullOr(
      wire(
        {
          active: flag("Whether it accepts requests"),
          verification: Verification.annotate({ description: "How requests show where they come from" }),
          createdAt: time("When the URL was created"),
          lastReceivedAt: Schema.NullOr(time("When it last accepted a request"))
        },
        {
          identifier: "AgentWebhookState",
          description: "An agent's inbound URL, without the URL itself; null if it never had one"
        }
      )
    ),
    createdAt: time("When the agent was created"),
    updatedAt: time("When the agent was last changed")
  },
  { identifier: "Agent", description: "A recipe with its settings, which runs execute" }
)

/** An agent as it was from one change to the next. */
export const AgentVersionView = wire(
  {
    agentId: id("The agent's id"),
    version: count("Which version: that of the runs that show it as `agent_version`"),
    ...settingsOut,
    endpoint: Schema.NullOr(
      wire(
        { url: uri("Where the recipe http called the agent") },
        { identifier: "AgentVersionEndpoint", description: "Where an agent of one's own was reached" }
      )
    ),
    status: statusOut.annotate({ description: "Whether the agent was archived by it" }),
    createdAt: time("When it became the agent's present version")
  },
  { identifier: "AgentVersion", description: "The settings of an agent from one change to the next, without secrets" }
)

/** A page of an agent's versions. */
export const AgentVersionPage = wire(pageFields(AgentVersionView), {
  identifier: "AgentVersionPage",
  description: "Versions of an agent, the latest first"
})

/** A page of agents. */
export const AgentPage = wire(pageFields(AgentView), { identifier: "AgentPage", description: "Agents, newest first" })

/** An agent that was deleted. */
export const DeletedAgent = wire(
  {
    agentId: id("The agent's id"),
    status: Schema.Literal("archived").annotate({ description: "No run of it can be triggered any more" }),
    archivedAt: time("When it was deleted")
  },
  { identifier: "DeletedAgent", description: "An agent that was deleted; its past runs stay" }
)

/** A template of agents as it is shown. */
export const AgentTemplateView = wire(
  { ...templateFields, ...shownSettings },
  { identifier: "AgentTemplate", description: "A template of agents: settings that an agent of each workspace follows" }
)

/** A page of templates of agents. */
export const AgentTemplatePage = wire(pageFields(AgentTemplateView), {
  identifier: "AgentTemplatePage",
  description: "Templates of agents, newest first"
})
