/** The tools of an agent's servers, as a model calls them. */
import { canonicalJson, readJson, SecretBox } from "@agent-platform/kernel"
import { type Agent, type McpServer, mcpHeadersPlace, type Redactor, type Turn } from "@agent-platform/runs"
import { Effect, Redacted, type Schema } from "effect"
import { CHANGED_NUMBER } from "../mcp/answers.ts"
import { connectMcp, type McpSession } from "../mcp/McpClient.ts"
import { at, listAt, textAt } from "../ProviderAnswer.ts"
import type { VaultEgress } from "../vault/VaultEgress.ts"
import { cut, type Tool, type ToolOutcome, toolFailure } from "./Tool.ts"

/** Longest name of a tool that every provider takes, in characters, and the end of it that can be a `_` and a number. */
const NAME_LENGTH_MAX = 64
const SUFFIX_LENGTH_MAX = 4

/** Longest description that a model gets, in characters. */
const DESCRIPTION_LENGTH_MAX = 2_000

/** Longest explanation of a server that is kept, in characters. */
const EXPLANATION_LENGTH_MAX = 300

/** Told to a model in the place of structured content with a number that reading has changed. */
const LEFT_OUT =
  "The structured content is left out: it has a number that would be changed. Integers beyond 9007199254740991 have to be sent as text"

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

/** A name in a form for every provider. */
export const plainName = (name: string): string =>
  name
    .replaceAll(/[^A-Za-z0-9_-]/g, "_")
    .replace(/^[^A-Za-z_]/, "_$&")
    .slice(0, NAME_LENGTH_MAX)

/** The name that is wished for, or one like it where that is taken. */
const nameOf = (wished: string, taken: ReadonlySet<string>): string => {
  let name = wished
  for (let copy = 2; taken.has(name); copy++) name = `${wished.slice(0, NAME_LENGTH_MAX - SUFFIX_LENGTH_MAX)}_${copy}`
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

/** Whether a text says in JSON what `canonical` does. A server that gives a structured result shall say it in a text as well. */
const says = (text: string, canonical: string): boolean => {
  const { value } = readJson(text)
  return value !== undefined && canonicalJson(value) === canonical
}

/** Whether it has a number that may be another one than was written. */
const hasUnsafeNumber = (value: Schema.Json): boolean => {
  if (typeof value === "number")
    return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))
  return typeof value === "object" && value !== null && Object.values(value).some(hasUnsafeNumber)
}

/**
 * The structured content of a result as text, unless one of its texts says the same. One with a number that reading has changed is left
 * out: the model would take it for what the tool said.
 */
const structuredIn = (result: Schema.Json, texts: ReadonlyArray<string>, redactor: Redactor): ReadonlyArray<string> => {
  const structured = at(result, "structuredContent")
  if (structured === undefined) return []
  const canonical = canonicalJson(structured)
  if (texts.some((text) => says(text, canonical))) return []
  if (at(result, CHANGED_NUMBER) === true && hasUnsafeNumber(structured as Schema.Json)) return [LEFT_OUT]
  return [JSON.stringify(redactor.knownIn(structured as Schema.Json))]
}

/** The outcome for the model: the texts of a result, and behind them its structured content. Redacted before it is cut. */
const outcomeOf = (result: Schema.Json, redactor: Redactor): ToolOutcome => {
  const pieces = listAt(result, "content").map(textIn)
  const structured = structuredIn(result, pieces, redactor)
  const { text, truncated } = cut(redactor.known([...pieces, ...structured].join("\n")))
  return { isError: at(result, "isError") === true, value: truncated ? `${text}\n[cut off here]` : text, truncated }
}

/** The tools of an agent's servers, and the names of the servers that cannot be spoken to. */
export interface ServerTools {
  readonly tools: ReadonlyArray<Tool>
  readonly missing: ReadonlyArray<string>
}

/** Who is calling, as a server learns it with each call. */
const metaOf = ({ id, sessionId }: Turn["run"], toolCallId: string) => ({
  "agent-platform/run_id": id,
  "agent-platform/session_id": sessionId,
  "agent-platform/tool_call_id": toolCallId
})

const short = (explanation: string): string => cut(explanation, EXPLANATION_LENGTH_MAX).text

/** Opens a server; undefined where it cannot be spoken to. The log says that, or which of the chosen tools the server lacks. */
const openServer = Effect.fnUntraced(function* (
  { emit, redactor }: Turn,
  egress: VaultEgress,
  { headers, server }: OpenedServer
) {
  const session = yield* connectMcp(egress, { url: server.url, headers, tools: server.tools }).pipe(
    Effect.catchTag("McpFailed", ({ detail }) =>
      Effect.as(
        emit("log", {
          message: `The run goes on without the server of tools '${server.name}': ${short(redactor.text(detail))}`
        }),
        undefined
      )
    )
  )
  if (session === undefined) return undefined
  const lacks = (server.tools ?? []).filter((name) => !session.tools.some((tool) => tool.name === name))
  if (lacks.length > 0) {
    yield* emit("log", { message: `The server of tools '${server.name}' does not have: ${lacks.join(", ")}` })
  }
  return session
})

/**
 * The tools of these servers, named after server and tool. A server that cannot be spoken to fails nothing: it is among the missing, for
 * the model to be told, which would make up results otherwise.
 */
export const mcpTools = Effect.fnUntraced(function* (
  turn: Turn,
  egress: VaultEgress,
  servers: ReadonlyArray<OpenedServer>,
  taken: ReadonlySet<string>
) {
  const { redactor, run } = turn
  const sessions = yield* Effect.forEach(servers, (opened) => openServer(turn, egress, opened), {
    concurrency: "unbounded"
  })
  const names = new Set(taken)
  const tools = servers.flatMap(({ server }, place) => {
    const session = sessions[place]
    return (session?.tools ?? []).map((tool): Tool => {
      // A server may repeat what it was sent in everything that it says of its tools.
      const ownName = redactor.known(tool.name)
      const wishedName = plainName(`${server.name}_${ownName}`)
      const name = nameOf(wishedName, names)
      names.add(name)
      return {
        name,
        wishedName,
        origin: JSON.stringify([redactor.known(server.url), ownName]),
        description: cut(redactor.known(tool.description), DESCRIPTION_LENGTH_MAX).text,
        inputSchema: redactor.knownIn(tool.inputSchema) as Schema.JsonObject,
        call: (input, toolCallId) =>
          (session as McpSession).call(tool.name, input, metaOf(run, toolCallId)).pipe(
            Effect.map((result) => outcomeOf(result, redactor)),
            Effect.catchTag("McpFailed", ({ detail }) =>
              Effect.succeed(toolFailure(`The tool failed: ${short(redactor.known(detail))}`))
            )
          )
      }
    })
  })
  const missing = servers.flatMap(({ server }, place) => (sessions[place] === undefined ? [server.name] : []))
  return { tools, missing } satisfies ServerTools
})
