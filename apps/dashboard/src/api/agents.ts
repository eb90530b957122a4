/** Reads agents. */
import type { Agent } from "@agent-platform/client"
import { queryOptions } from "@tanstack/react-query"
import type { Session } from "../session/Session.ts"

/** Agents that a menu of them can hold. */
const AGENTS_MAX = 200

/** The agents of the workspace, newest first, up to 200. */
export const agentsQuery = ({ client }: Session) =>
  queryOptions({
    queryKey: ["agents", "all"],
    queryFn: async ({ signal }) => {
      const found: Array<Agent> = []
      for await (const agent of client.items.agents.listAgents({ signal })) {
        if (found.push(agent) >= AGENTS_MAX) break
      }
      return found
    },
    staleTime: 60_000
  })
