import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { agentsQuery } from "../../api/agents.ts"
import { useSession } from "../../session/SessionContext.tsx"

/** The names of agents by their ids, as far as one may read them. */
export const useAgentNames = (): ReadonlyMap<string, string> => {
  const session = useSession()
  const { data: agents } = useQuery({ ...agentsQuery(session), enabled: session.can("agents:read") })
  return useMemo(() => new Map(agents?.map(({ agent_id, name }) => [agent_id, name] as const)), [agents])
}
