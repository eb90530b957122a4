import type { Agent } from "@agent-platform/client"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { agentsQuery } from "../../api/agents.ts"
import { listedRuns, recentRunsQuery } from "../../api/runs.ts"
import { useSession } from "../../session/SessionContext.tsx"

/** Recipes whose runs call no model by themselves. */
const WITHOUT_KEY: ReadonlyArray<string> = ["demo", "http"]

/**
 * The agents that can run, the likeliest one first: the one that is asked for, else the one that ran last, else one that needs no key
 * of a model provider. Undefined until they are known.
 */
export const useAgentsToRun = (wantedId?: string): ReadonlyArray<Agent> | undefined => {
  const session = useSession()
  const queries = useQueryClient()
  const { data: agents } = useQuery({ ...agentsQuery(session), enabled: session.can("agents:read") })
  const { data: runs } = useQuery({
    ...recentRunsQuery(session),
    enabled: wantedId === undefined && session.can("runs:read"),
    // Until the newest have come, those of the lists that were read tell which agent ran last.
    placeholderData: () => listedRuns(queries).toSorted((one, two) => two.created_at.localeCompare(one.created_at))
  })
  const active = agents?.filter(({ status }) => status === "active")
  const latest = runs?.find(({ agent_id }) => active?.some((agent) => agent.agent_id === agent_id))?.agent_id
  const rank = ({ agent_id, recipe }: Agent): number => {
    if (agent_id === wantedId) return 0
    if (agent_id === latest) return 1
    return WITHOUT_KEY.includes(recipe) ? 2 : 3
  }
  return active?.toSorted((one, two) => rank(one) - rank(two))
}
