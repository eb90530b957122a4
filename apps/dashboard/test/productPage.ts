/** The backend of a product with a chat in its page: it serves the page, passes on what is said, and makes browser keys. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { type AgentPlatformClient, type ChatSaid, sendToAgent } from "@agent-platform/client"
import { build } from "esbuild"

const bundled = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("./chatPage.ts", import.meta.url))],
    bundle: true,
    format: "esm",
    target: "es2024",
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
    write: false,
    logLevel: "warning"
  })
  return outputFiles[0]?.text ?? ""
}

const HTML = '<!doctype html><html lang="en"><title>A product</title><script type="module" src="/chat.js"></script>'

/** Starts it. Who it calls the platform for is said later: its origin is a setting of the API. */
export const startProductPage = async () => {
  const script = bundled()
  const held: { client?: AgentPlatformClient; agentId?: string } = {}
  const answers: Readonly<
    Record<string, (request: IncomingMessage) => Promise<readonly [type: string, body: string]>>
  > = {
    "/": async () => ["text/html", HTML],
    "/chat.js": async () => ["text/javascript", await script],
    "/chat": async (request) => {
      const { agentId = "", client } = held
      if (client === undefined) throw new Error("The product knows no platform")
      const said = (await json(request)) as ChatSaid
      return ["application/json", JSON.stringify(await sendToAgent(client, agentId)(said))]
    },
    "/chat/key": async (request) => {
      const { session_id } = (await json(request)) as { readonly session_id: string }
      const made = await held.client?.sessions.createSessionBrowserKey({ params: { session_id }, body: {} })
      return ["application/json", JSON.stringify(made?.key ?? "")]
    }
  }
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const answer = answers[new URL(request.url ?? "/", "http://product").pathname]
    if (answer === undefined) return void response.writeHead(404).end()
    try {
      const [type, body] = await answer(request)
      response.writeHead(200, { "content-type": type }).end(body)
    } catch (error) {
      response.writeHead(500, { "content-type": "application/json" }).end(JSON.stringify(String(error)))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The agent that its visitors talk to, with a key that may trigger runs. */
    serve: (client: AgentPlatformClient, agentId: string) => Object.assign(held, { client, agentId }),
    stop: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
