/**
 * Everything that the platform calls, as one server on all of 127.0.0.0/8: addresses of it stand for those of a private network. Content
 * that callers give by its URL is read over https alone, so a second server serves that, under a certificate for 127.0.0.1.
 */
import { readFileSync } from "node:fs"
import { createServer, type RequestListener, type ServerResponse } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import type { AddressInfo, Server } from "node:net"
import { fileURLToPath } from "node:url"

const fixture = (name: string) => new URL(`../../packages/egress/test/fixtures/${name}`, import.meta.url)

/** Has a process trust the certificate of the server that speaks https. */
export const TRUSTING = { NODE_EXTRA_CA_CERTS: fileURLToPath(fixture("test-only-ca.pem")) }

interface Message {
  readonly role: string
  readonly content: unknown
}

/** A request as it came: the address that it was sent to, its path and its body. */
export interface Called {
  readonly address: string
  readonly path: string
  readonly body: string
}

const chunk = (delta: unknown, finish: string | null) => ({
  id: "c",
  model: "small",
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...(finish === null ? {} : { usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } })
})

const stream = (response: ServerResponse, ...chunks: ReadonlyArray<unknown>) => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const one of chunks) response.write(`data: ${JSON.stringify(one)}\n\n`)
  response.end("data: [DONE]\n\n")
}

/**
 * Answers as a model. It calls the tools that the question names in JSON, with the inputs there, and then says what they gave; a question
 * with content in it is said back.
 */
const answerAsModel = (response: ServerResponse, body: string) => {
  const { messages } = JSON.parse(body) as { readonly messages: ReadonlyArray<Message> }
  const results = messages.filter(({ role }) => role === "tool")
  if (results.length > 0) {
    return stream(
      response,
      chunk({ content: JSON.stringify(results.map(({ content }) => content)) }, null),
      chunk({}, "stop")
    )
  }
  const question = messages.at(-1)?.content
  if (Array.isArray(question)) {
    return stream(response, chunk({ content: JSON.stringify(question) }, null), chunk({}, "stop"))
  }
  const asked = JSON.parse(String(question)) as ReadonlyArray<{
    readonly name: string
    readonly input: unknown
  }>
  const calls = asked.map(({ input, name }, index) => ({
    index,
    id: `call_${index}`,
    type: "function",
    function: { name, arguments: JSON.stringify(input) }
  }))
  return stream(response, chunk({ tool_calls: calls }, null), chunk({}, "tool_calls"))
}

const TOOL = { name: "add", description: "Adds", inputSchema: { type: "object", properties: {} } }

const answerAsMcp = (response: ServerResponse, body: string) => {
  const { id, method } = JSON.parse(body === "" ? "{}" : body) as { readonly id?: number; readonly method?: string }
  const results: Readonly<Record<string, unknown>> = {
    initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} } },
    "tools/list": { tools: [TOOL] },
    "tools/call": { content: [{ type: "text", text: "the sum is 42" }] }
  }
  const result = results[method ?? ""]
  if (result === undefined) return response.writeHead(202).end()
  return response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ jsonrpc: "2.0", id, result }))
}

/** Starts the servers. The requests that came are in `called`, oldest first. */
export const startPrivateNetwork = async () => {
  const called: Array<Called> = []
  const answer: RequestListener = (request, response) => {
    const pieces: Array<Buffer> = []
    request.on("data", (piece: Buffer) => pieces.push(piece))
    request.on("end", () => {
      const body = Buffer.concat(pieces).toString("utf8")
      const path = request.url ?? ""
      called.push({ address: request.socket.localAddress ?? "", path, body })
      if (path === "/v1/chat/completions") return answerAsModel(response, body)
      if (path === "/mcp") return answerAsMcp(response, body)
      if (path === "/v1/models") {
        const hasKey = request.headers.authorization !== undefined
        return response.writeHead(hasKey ? 200 : 401, { "content-type": "application/json" }).end('{"data": []}')
      }
      if (path === "/note.txt")
        return response.writeHead(200, { "content-type": "text/plain" }).end("a note from inside")
      if (path === "/run") return response.end('{"type": "result", "message": "from an agent of one\'s own"}\n')
      return response.end("from inside")
    })
  }
  const server = createServer(answer)
  const securely = createHttpsServer(
    { cert: readFileSync(fixture("test-only-server.pem")), key: readFileSync(fixture("test-only-server-key.pem")) },
    answer
  )
  const listening = (one: Server) =>
    new Promise<number>((resolve) => one.listen(0, "0.0.0.0", () => resolve((one.address() as AddressInfo).port)))
  const stopped = (one: typeof server | typeof securely) =>
    new Promise<void>((resolve) => {
      one.closeAllConnections()
      one.close(() => resolve())
    })
  return {
    port: await listening(server),
    securePort: await listening(securely),
    called,
    stop: () => Promise.all([stopped(server), stopped(securely)])
  }
}
