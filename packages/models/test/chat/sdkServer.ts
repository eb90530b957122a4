/** A server of tools by the official SDK of the Model Context Protocol, on loopback. */
import { createServer } from "node:http"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { Effect } from "effect"

/** The server until the scope closes: it has the tools `look_up` and `forget`, and reports the `_meta` of each call. */
export const sdkServer = Effect.fnUntraced(function* (called: (meta: unknown) => void) {
  const inputSchema = { type: "object" as const, properties: { what: { type: "string" } } }
  const build = () => {
    const server = new Server({ name: "official", version: "1.0.0" }, { capabilities: { tools: {} } })
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: ["look_up", "forget"].map((name) => ({ name, description: "Looks something up", inputSchema }))
    }))
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      called(params._meta)
      return { content: [{ type: "text", text: `It is 44 for ${params.arguments?.["what"]}.` }] }
    })
    return server
  }
  const http = createServer(async (request, response) => {
    // A server and a transport for each request: the SDK's way without sessions.
    const transport = new StreamableHTTPServerTransport({})
    response.on("close", () => void transport.close())
    await build().connect(transport as Parameters<Server["connect"]>[0])
    await transport.handleRequest(request, response)
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void http.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.callback<void>((resume) => {
        http.closeAllConnections()
        http.close(() => resume(Effect.void))
      })
  )
  const address = http.address()
  if (address === null || typeof address === "string") throw new Error("The server listens on a port")
  return { url: `http://127.0.0.1:${address.port}/mcp` }
})
