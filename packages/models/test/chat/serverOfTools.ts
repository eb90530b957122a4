/** A server of tools, by the Model Context Protocol, as it should be and in many other manners. */
import { type Answer, type Asked, events, json } from "./ScriptedServer.ts"

export const TOOL = {
  name: "look up",
  description: "Looks something up",
  inputSchema: { type: "object", properties: { what: { type: "string" } }, required: ["what"] }
}

/** How a server of tools differs from a plain one. */
export interface Manner {
  /** Answers as streams of events instead of JSON. */
  readonly streams?: boolean
  readonly result?: (asked: Asked) => unknown
  /** Forgets every session before the first call. */
  readonly forgets?: boolean
  readonly introduction?: Answer
  /** Its tools on the second page of their list; one by itself. */
  readonly tools?: ReadonlyArray<object>
  /** Those that the agent is confined to. */
  readonly chosen?: ReadonlyArray<string>
  /** The agent's own tools. */
  readonly builtIn?: ReadonlyArray<string>
}

/** A server of tools beside a model: what is for the model is answered by `model`. */
export const serverOfTools = (manner: Manner, model: ReadonlyArray<Answer>): Answer => {
  const answers = [...model]
  let sessions = 0
  let forgot = false
  const result = (id: unknown, value: unknown): Answer => {
    const message = { jsonrpc: "2.0", id, result: value }
    // Something else comes before the answer, as it may in a stream.
    return manner.streams === true
      ? events({ jsonrpc: "2.0", method: "notifications/progress", params: {} }, message)
      : json(200, message)
  }
  return (response, asked) => {
    if (asked.url === "/v1/chat/completions") return answers.shift()?.(response, asked)
    if (asked.method === "DELETE") return void response.writeHead(200).end()
    const id: unknown = asked.body["id"]
    switch (String(asked.body["method"])) {
      case "initialize":
        sessions += 1
        if (manner.introduction !== undefined) return manner.introduction(response, asked)
        response.setHeader("mcp-session-id", `session-${sessions}`)
        return result(id, { protocolVersion: "2025-06-18", capabilities: { tools: {} } })(response, asked)
      case "tools/list": {
        const isFirst = asked.body["params"]?.["cursor"] === undefined
        return result(id, isFirst ? { tools: [], nextCursor: "2" } : { tools: manner.tools ?? [TOOL] })(response, asked)
      }
      case "tools/call":
        if (manner.forgets === true && !forgot) {
          forgot = true
          return json(404, { error: "no such session" })(response, asked)
        }
        return result(id, manner.result?.(asked) ?? { content: [{ type: "text", text: "It is 42." }] })(response, asked)
      default:
        return void response.writeHead(202).end()
    }
  }
}
