/** An agent of one's own on loopback, whose every answer is the test's. */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished, vi } from "vitest"
import type { Place } from "./pages.ts"

/** A request to the agent, and its answer, line by line. */
export interface Turn {
  readonly asked: { readonly message: string | null; readonly input: Readonly<Record<string, unknown>> | null }
  readonly say: (...lines: ReadonlyArray<object>) => void
  /** The last line: a result, a pause or a failure. */
  readonly end: (line: object) => void
}

/** Adds the agent to the place, for as long as the test lasts. */
export const ownAgent = async ({ client }: Pick<Place, "client">, name = "Mine") => {
  const turns: Array<Turn> = []
  const server = createServer((request, response: ServerResponse) => {
    let body = ""
    request.setEncoding("utf8").on("data", (piece) => {
      body += piece
    })
    request.on("end", () => {
      const say: Turn["say"] = (...lines) =>
        void response.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
      turns.push({ asked: JSON.parse(body), say, end: (line) => void response.end(`${JSON.stringify(line)}\n`) })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/run`
  const { agent_id } = await client.agents.createAgent({ body: { name, recipe: "http", endpoint: { url } } })
  return {
    agentId: agent_id,
    /** The request with this number, from 0, once it has come. */
    turn: (place: number) =>
      vi.waitUntil(() => turns[place], { timeout: 60_000, interval: 20 }).then((turn) => turn as Turn)
  }
}
