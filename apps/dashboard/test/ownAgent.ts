import { onTestFinished } from "vitest"
import { startAgent } from "./agentServer.ts"
import type { Place } from "./pages.ts"

/** Adds an agent of one's own to the place, for as long as the test lasts. */
export const ownAgent = async ({ client }: Pick<Place, "client">, name = "Mine") => {
  const { stop, turn, url } = await startAgent()
  onTestFinished(stop)
  const { agent_id } = await client.agents.createAgent({ body: { name, recipe: "http", endpoint: { url } } })
  return { agentId: agent_id, turn }
}
