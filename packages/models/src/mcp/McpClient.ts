/** A client of the Model Context Protocol over streamable HTTP, for the list of a server's tools and for calls of them. */
import type { StreamRequest } from "@agent-platform/kernel"
import { Effect, Predicate, type Schema, type Scope } from "effect"
import { at, listAt, textAt } from "../ProviderAnswer.ts"
import type { VaultEgress } from "../vault/VaultEgress.ts"
import { resultOf } from "./answers.ts"
import { McpFailed } from "./McpFailed.ts"

/** The version of the protocol that is asked for. A server may answer with an older one, which is the same to us. */
const PROTOCOL_VERSION = "2025-06-18"

/** The name and version that servers get of us. */
const CLIENT = { name: "agent-platform", version: "0.1.0" }

/** How long a server may take to introduce itself and to name all of its tools, for a call, and to end its session, in milliseconds. */
const INTRODUCTION_MILLIS_MAX = 30_000
const CALL_MILLIS_MAX = 120_000
const FAREWELL_MILLIS_MAX = 2_000

/** Most bytes of an answer. */
const ANSWER_BYTES_MAX = 1024 * 1024

/** Most pages of a list of tools, and most tools of a server that are taken. */
const PAGES_MAX = 16
export const SERVER_TOOLS_MAX = 128

/** A tool as its server describes it. */
export interface McpTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: Schema.JsonObject
}

/** A server that has been spoken to. */
export interface McpSession {
  readonly tools: ReadonlyArray<McpTool>
  /** Calls a tool and answers its result as the server gives it. `meta` is for the server: who is calling. */
  readonly call: (
    name: string,
    input: Schema.JsonObject,
    meta: Readonly<Record<string, string>>
  ) => Effect.Effect<Schema.Json, McpFailed>
}

/** A server to speak to. */
export interface McpTarget extends Pick<StreamRequest, "url" | "headers"> {
  /** The names of the tools that are taken; null for all. */
  readonly tools: ReadonlyArray<string> | null
}

interface Handshake {
  readonly sessionId: string | undefined
  readonly version: string
}

const toolsIn = (result: Schema.Json): ReadonlyArray<McpTool> =>
  listAt(result, "tools").flatMap((tool) => {
    const name = textAt(tool, "name")
    const inputSchema = at(tool, "inputSchema")
    if (name === "" || !Predicate.isObject(inputSchema)) return []
    return [{ name, description: textAt(tool, "description"), inputSchema: inputSchema as Schema.JsonObject }]
  })

const requestFailed = ({ detail }: { readonly detail: string }) => Effect.fail(new McpFailed({ detail }))

const connect = Effect.fnUntraced(function* (
  egress: VaultEgress,
  { headers, tools: chosen, url }: McpTarget
): Effect.fn.Return<McpSession, McpFailed, Scope.Scope> {
  let ids = 0

  const headersFor = (handshake: Handshake | undefined) => ({
    ...headers,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(handshake === undefined ? {} : { "mcp-protocol-version": handshake.version }),
    ...(handshake?.sessionId === undefined ? {} : { "mcp-session-id": handshake.sessionId })
  })

  const send = (message: Schema.JsonObject, handshake: Handshake | undefined, deadlineMillis: number) =>
    egress
      .stream({
        purpose: "mcp",
        method: "POST",
        url,
        headers: headersFor(handshake),
        body: JSON.stringify({ jsonrpc: "2.0", ...message }),
        deadlineMillis,
        silenceMillis: deadlineMillis,
        bytesMax: ANSWER_BYTES_MAX
      })
      .pipe(
        Effect.catch(requestFailed),
        Effect.filterOrFail(
          ({ status }) => status >= 200 && status < 300,
          ({ status }) =>
            new McpFailed({
              detail: `It answered ${status}`,
              isForgotten: status === 404 && handshake?.sessionId !== undefined
            })
        )
      )

  const request = (method: string, params: Schema.JsonObject, handshake: Handshake | undefined, millis: number) =>
    Effect.suspend(() => {
      ids += 1
      const id = ids
      return Effect.flatMap(send({ id, method, params }, handshake, millis), (answer) =>
        resultOf(answer.body, answer.headers["content-type"] ?? "", id).pipe(
          Effect.catchTag("RequestFailed", requestFailed),
          Effect.map((result) => ({ result, sessionId: answer.headers["mcp-session-id"] }))
        )
      )
    }).pipe(Effect.scoped)

  const initialize = { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo: CLIENT }
  const introduce = Effect.flatMap(
    request("initialize", initialize, undefined, INTRODUCTION_MILLIS_MAX),
    ({ result, sessionId }) => {
      const handshake: Handshake = { sessionId, version: textAt(result, "protocolVersion") || PROTOCOL_VERSION }
      return send({ method: "notifications/initialized" }, handshake, INTRODUCTION_MILLIS_MAX).pipe(
        Effect.scoped,
        Effect.as(handshake)
      )
    }
  )

  let current = yield* introduce
  yield* Effect.addFinalizer(() =>
    current.sessionId === undefined
      ? Effect.void
      : egress
          .send({
            purpose: "mcp",
            method: "DELETE",
            url,
            headers: headersFor(current),
            body: null,
            deadlineMillis: FAREWELL_MILLIS_MAX,
            readBytesMax: 0
          })
          .pipe(Effect.ignore)
  )

  const isTaken = ({ name }: McpTool) => chosen === null || chosen.includes(name)
  const tools: Array<McpTool> = []
  // Once every chosen tool is found, no further page of the list is read.
  const hasAllChosen = () => chosen?.every((name) => tools.some((tool) => tool.name === name))
  let cursor: string | undefined
  for (let pages = 0; pages === 0 || cursor !== undefined; pages++) {
    const params: Schema.JsonObject = cursor === undefined ? {} : { cursor }
    const { result } = yield* request("tools/list", params, current, INTRODUCTION_MILLIS_MAX)
    tools.push(...toolsIn(result).filter(isTaken))
    cursor = hasAllChosen() ? undefined : textAt(result, "nextCursor") || undefined
    if (tools.length > SERVER_TOOLS_MAX || pages >= PAGES_MAX) {
      return yield* new McpFailed({
        detail: `It has more than ${SERVER_TOOLS_MAX} tools; the agent can name those it needs`
      })
    }
  }

  const callTool = (name: string, input: Schema.JsonObject, _meta: Readonly<Record<string, string>>) =>
    Effect.map(
      Effect.suspend(() => request("tools/call", { name, arguments: input, _meta }, current, CALL_MILLIS_MAX)),
      ({ result }) => result
    )

  return {
    tools,
    // A server that has forgotten the session has done nothing yet, so a new one may ask again.
    call: (name, input, meta) =>
      Effect.catchTag(callTool(name, input, meta), "McpFailed", (failed) =>
        failed.isForgotten !== true
          ? Effect.fail(failed)
          : Effect.flatMap(introduce, (fresh) => {
              current = fresh
              return callTool(name, input, meta)
            })
      )
  }
})

/**
 * Introduces itself to a server and learns its tools, within 30 s. Closing the scope ends the session there, if there is one. Fails
 * with McpFailed when the server cannot be reached, wants something else, or has too many tools.
 */
export const connectMcp = (egress: VaultEgress, target: McpTarget): Effect.Effect<McpSession, McpFailed, Scope.Scope> =>
  Effect.timeoutOrElse(connect(egress, target), {
    duration: INTRODUCTION_MILLIS_MAX,
    orElse: () => Effect.fail(new McpFailed({ detail: `It took more than ${INTRODUCTION_MILLIS_MAX / 1_000} s` }))
  })
