/** The tools of an agent: those of its settings that are built in, and those of its servers. */
import type { FunctionTool, Turn } from "@agent-platform/runs"
import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider"
import { Effect } from "effect"
import { agentFailed } from "../chat/ChatFailed.ts"
import type { VaultEgress } from "../vault/VaultEgress.ts"
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
  /** The servers whose tools are missing, because they cannot be spoken to. */
  readonly missingServers: ReadonlyArray<string>
  /** Tools that the caller answers, by their names. */
  readonly functions: ReadonlyMap<string, FunctionTool>
  /** The names of tools whose calls somebody has to approve of; `*` for all. */
  readonly approvals: ReadonlySet<string>
}

/** Whether somebody has to approve of calls of this tool. One that asks a user needs no approval of its own. */
export const needsApproval = ({ approvals }: AgentTools, name: string): boolean =>
  name !== ASK_USER && (approvals.has(name) || approvals.has("*"))

/** The JSON schema of the arguments of this tool; undefined for one that there is not. */
export const schemaOf = ({ byName, functions }: AgentTools, name: string) =>
  byName.get(name)?.inputSchema ?? functions.get(name)?.parameters

// Not `strict`: providers would then leave out parts of the schemas that servers describe.
const describe = ({ description, inputSchema, name }: Pick<Tool, "description" | "inputSchema" | "name">) => ({
  type: "function" as const,
  name,
  description,
  inputSchema,
  strict: false
})

/** Makes the tools of a turn. Fails with ChatFailed when there are too many. */
export const agentTools = Effect.fnUntraced(function* (
  turn: Turn,
  servers: ReadonlyArray<OpenedServer>,
  egress: VaultEgress
) {
  const { agent, redactor } = turn
  const asksUser = agent.tools.includes(ASK_USER)
  const builtIn = agent.tools.includes(HTTP_REQUEST) ? [makeHttpRequest(egress, redactor)] : []
  const functions = new Map(agent.functionTools.map((tool) => [tool.name, tool]))
  const ofServers = yield* mcpTools(turn, egress, servers, new Set([...BUILT_IN_TOOLS, ...functions.keys()]))
  const tools = [...builtIn, ...ofServers.tools]
  if (tools.length + functions.size > TOOLS_MAX) {
    return yield* agentFailed(
      `The agent has more than ${TOOLS_MAX} tools; its servers can be confined to some of theirs`
    )
  }
  return {
    described: [
      ...[...(asksUser ? [askUserTool] : []), ...tools].map(describe),
      ...agent.functionTools.map(({ parameters, ...tool }) => describe({ ...tool, inputSchema: parameters }))
    ],
    byName: new Map(tools.map((tool) => [tool.name, tool])),
    asksUser,
    missingServers: ofServers.missing,
    functions,
    approvals: new Set(agent.approvals)
  } satisfies AgentTools
})
