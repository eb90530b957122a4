/** The tools of an agent: those of its settings that are built in, and those of its servers. */
import type { Egress } from "@agent-platform/kernel"
import type { Agent, Redactor } from "@agent-platform/runs"
import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider"
import { Effect } from "effect"
import { agentFailed } from "../chat/ChatFailed.ts"
import { ASK_USER, askUserTool } from "./askUser.ts"
import { HTTP_REQUEST, makeHttpRequest } from "./httpRequest.ts"
import { mcpTools, type OpenedServer } from "./mcpTools.ts"
import type { Tool } from "./Tool.ts"

/** The names of the tools that an agent may be given by name. */
export const BUILT_IN_TOOLS: ReadonlyArray<string> = [ASK_USER, HTTP_REQUEST]

/** Most tools that a model gets at once. */
export const TOOLS_MAX = 128

/** The tools of a turn. */
export interface AgentTools {
  /** Their descriptions for the model. */
  readonly described: Array<LanguageModelV4FunctionTool>
  /** Tools with a result, by their names for the model. */
  readonly byName: ReadonlyMap<string, Tool>
  readonly asksUser: boolean
}

// Not `strict`: providers would then leave out parts of the schemas that servers describe.
const describe = ({ description, inputSchema, name }: Pick<Tool, "description" | "inputSchema" | "name">) => ({
  type: "function" as const,
  name,
  description,
  inputSchema,
  strict: false
})

/** Makes the tools of an agent. Fails with ChatFailed when a server cannot be spoken to, or there are too many tools. */
export const agentTools = Effect.fnUntraced(function* (
  agent: Pick<Agent, "tools">,
  servers: ReadonlyArray<OpenedServer>,
  egress: Egress["Service"],
  redactor: Redactor
) {
  const asksUser = agent.tools.includes(ASK_USER)
  const builtIn = agent.tools.includes(HTTP_REQUEST) ? [makeHttpRequest(egress)] : []
  const tools = [...builtIn, ...(yield* mcpTools(egress, servers, new Set(BUILT_IN_TOOLS), redactor))]
  if (tools.length > TOOLS_MAX) return yield* agentFailed(`The agent has more than ${TOOLS_MAX} tools`)
  return {
    described: [...(asksUser ? [askUserTool] : []), ...tools].map(describe),
    byName: new Map(tools.map((tool) => [tool.name, tool])),
    asksUser
  } satisfies AgentTools
})
