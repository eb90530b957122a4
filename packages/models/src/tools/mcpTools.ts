/** The tools of an agent's servers, as a model calls them. */
import { type Egress, SecretBox } from "@agent-platform/kernel"
import { type Agent, type McpServer, mcpHeadersPlace, type Redactor } from "@agent-platform/runs"
import { Effect, Redacted, type Schema } from "effect"
import { agentFailed } from "../chat/ChatFailed.ts"
import { connectMcp, type McpTool } from "../mcp/McpClient.ts"
import { at, listAt, textAt } from "../ProviderAnswer.ts"
import { cut, type Tool, type ToolOutcome, toolFailure } from "./Tool.ts"

/** Longest name of a tool that every provider takes, in characters. */
const NAME_LENGTH_MAX = 64

/** Longest description that a model gets, in characters. */
const DESCRIPTION_LENGTH_MAX = 2_000

/** Longest explanation of a server that is kept, in characters. */
const EXPLANATION_LENGTH_MAX = 300

/** How many servers are opened at once. */
const SERVERS_AT_ONCE = 8

/** A server with the secret headers for it. */
export interface OpenedServer {
  readonly server: McpServer
  readonly headers: Readonly<Record<string, string>>
}

/** Opens the headers of an agent's servers. Dies where they cannot be opened. */
export const openServers = Effect.fnUntraced(function* (agent: Agent) {
  const box = yield* SecretBox
  return yield* Effect.forEach(agent.mcpServers, (server) =>
    server.sealedHeaders === null
      ? Effect.succeed<OpenedServer>({ server, headers: {} })
      : Effect.map(
          Effect.orDie(box.open(mcpHeadersPlace(agent, server), server.sealedHeaders)),
          (opened): OpenedServer => ({ server, headers: JSON.parse(Redacted.value(opened)) })
        )
  )
})

/** A name in a form for every provider, unlike all that are taken. */
const nameOf = (server: McpServer, tool: McpTool, taken: ReadonlySet<string>): string => {
  const wished = `${server.name}_${tool.name}`
    .replaceAll(/[^A-Za-z0-9_-]/g, "_")
    .replace(/^[^A-Za-z_]/, "_$&")
    .slice(0, NAME_LENGTH_MAX)
  let name = wished
  for (let copy = 2; taken.has(name); copy++) name = `${wished.slice(0, NAME_LENGTH_MAX - 4)}_${copy}`
  return name
}

const textIn = (piece: unknown): string => {
  const type = textAt(piece, "type")
  if (type === "text") return textAt(piece, "text")
  if (type === "resource") return textAt(piece, "resource", "text") || `[resource ${textAt(piece, "resource", "uri")}]`
  return type === "resource_link"
    ? `[resource ${textAt(piece, "uri")}]`
    : `[${type || "something"} that cannot be shown]`
}

/** The outcome for the model: the texts of a result, or its structured content where there are none. Redacted before it is cut. */
const outcomeOf = (result: Schema.Json, redactor: Redactor): ToolOutcome => {
  const pieces = listAt(result, "content").map(textIn)
  const structured = at(result, "structuredContent")
  const whole =
    pieces.length > 0 || structured === undefined
      ? pieces.join("\n")
      : JSON.stringify(redactor.knownIn(structured as Schema.Json))
  const { text, truncated } = cut(redactor.known(whole))
  return { isError: at(result, "isError") === true, value: truncated ? `${text}\n[cut off here]` : text, truncated }
}

/**
 * The tools of these servers, named after server and tool. Fails with ChatFailed when a server cannot be spoken to: a model
 * that lacks its tools without knowing would make things up.
 */
export const mcpTools = Effect.fnUntraced(function* (
  egress: Egress["Service"],
  servers: ReadonlyArray<OpenedServer>,
  taken: ReadonlySet<string>,
  redactor: Redactor
) {
  const short = (explanation: string) => cut(explanation, EXPLANATION_LENGTH_MAX).text
  const sessions = yield* Effect.forEach(
    servers,
    ({ headers, server }) =>
      connectMcp(egress, { url: server.url, headers }).pipe(
        Effect.map((session) => ({ server, session })),
        Effect.mapError(({ detail }) =>
          agentFailed(`The server of tools '${server.name}' is of no use: ${short(redactor.text(detail))}`)
        )
      ),
    { concurrency: SERVERS_AT_ONCE }
  )
  const names = new Set(taken)
  return sessions.flatMap(({ server, session }) =>
    session.tools.map((tool): Tool => {
      const name = nameOf(server, tool, names)
      names.add(name)
      return {
        name,
        description: cut(tool.description, DESCRIPTION_LENGTH_MAX).text,
        inputSchema: tool.inputSchema,
        call: (input) =>
          session.call(tool.name, input).pipe(
            Effect.map((result) => outcomeOf(result, redactor)),
            Effect.catchTag("McpFailed", ({ detail }) =>
              Effect.succeed(toolFailure(`The tool failed: ${short(redactor.known(detail))}`))
            )
          )
      }
    })
  )
})
