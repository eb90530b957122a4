/** The tools of an agent: built-in ones, those of its servers, and those that the caller answers. */
import type { FunctionTool, Turn } from "@agent-platform/runs"
import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider"
import { Effect } from "effect"
import { agentFailed } from "../chat/ChatFailed.ts"
import type { VaultEgress } from "../vault/VaultEgress.ts"
import { ASK_USER, askUserTool } from "./askUser.ts"
import { HTTP_REQUEST, makeHttpRequest } from "./httpRequest.ts"
import { mcpTools, type OpenedServer, plainName } from "./mcpTools.ts"
import { cut, type Tool } from "./Tool.ts"

/** The names of the tools that an agent may be given by name. */
export const BUILT_IN_TOOLS: ReadonlyArray<string> = [ASK_USER, HTTP_REQUEST]

/** Most tools that a model gets at once. */
export const TOOLS_MAX = 128

/** Longest message about names of `approvals` that no tool has, in characters. */
const LOGGED_LENGTH_MAX = 1_000

/** The tools of a turn. */
export interface AgentTools {
  /** Their descriptions for the model. */
  readonly described: Array<LanguageModelV4FunctionTool>
  /** Tools that the platform calls itself, by their names for the model. */
  readonly byName: ReadonlyMap<string, Tool>
  readonly asksUser: boolean
  /** The servers whose tools are missing, because they cannot be spoken to. */
  readonly missingServers: ReadonlyArray<string>
  /** Tools that the caller answers, by their names. */
  readonly functions: ReadonlyMap<string, FunctionTool>
  /** The names of tools whose calls somebody has to approve of; `*` for all. */
  readonly approvals: ReadonlySet<string>
  /** Names of `approvals` that no tool has: any tool of a server may be the one that is meant. */
  readonly unmatchedApprovals: ReadonlyArray<string>
}

/**
 * Whether a name of `approvals` means this tool. By `wishedName`, without the suffix that tells it from others: `crm_refund_2` may be
 * another tool in the next turn.
 */
const isMeant = ({ wishedName }: Tool, approval: string): boolean => plainName(approval) === wishedName

/** Whether somebody has to approve of calls of this tool. One that asks a user needs no approval of its own. */
export const needsApproval = ({ approvals, byName, unmatchedApprovals }: AgentTools, name: string): boolean => {
  if (name === ASK_USER) return false
  if (approvals.has("*")) return true
  const tool = byName.get(name)
  if (tool === undefined || BUILT_IN_TOOLS.includes(name)) return approvals.has(name)
  return unmatchedApprovals.length > 0 || [...approvals].some((approval) => isMeant(tool, approval))
}

/** Which tool has this name now; undefined where none has. */
export const originOf = ({ asksUser, byName, functions }: AgentTools, name: string): string | undefined =>
  byName.get(name)?.origin ?? (functions.has(name) ? "caller" : asksUser && name === ASK_USER ? ASK_USER : undefined)

/** The JSON schema of a tool's arguments; undefined where no tool has the name. */
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
  const described = [
    ...[...(asksUser ? [askUserTool] : []), ...tools].map(describe),
    ...agent.functionTools.map(({ parameters, ...tool }) => describe({ ...tool, inputSchema: parameters }))
  ]
  if (described.length > TOOLS_MAX) {
    return yield* agentFailed(
      `The agent has more than ${TOOLS_MAX} tools; its servers can be confined to some of theirs`
    )
  }
  const known = [...BUILT_IN_TOOLS, ...functions.keys(), "*"]
  const unmatchedApprovals = agent.approvals.filter(
    (approval) => !known.includes(approval) && !ofServers.tools.some((tool) => isMeant(tool, approval))
  )
  if (unmatchedApprovals.length > 0 && servers.length > 0) {
    const names = unmatchedApprovals.map((name) => `'${name}'`).join(", ")
    yield* turn.emit("log", {
      message: cut(`Every call of a server's tool waits for approval: no tool is called ${names}`, LOGGED_LENGTH_MAX)
        .text
    })
  }
  return {
    described,
    byName: new Map(tools.map((tool) => [tool.name, tool])),
    asksUser,
    missingServers: ofServers.missing,
    functions,
    approvals: new Set(agent.approvals),
    unmatchedApprovals
  } satisfies AgentTools
})
