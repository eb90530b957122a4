import { useQuery } from "@tanstack/react-query"
import { agentsQuery } from "../../api/agents.ts"
import { useSession } from "../../session/SessionContext.tsx"

/** The agents of the workspace, and the one to try first: one with the recipe `demo` if there is one, since it needs no model. */
export const useAgentToTry = () => {
  const session = useSession()
  const { data: agents } = useQuery({ ...agentsQuery(session), enabled: session.can("agents:read") })
  return { agents, agent: agents?.find(({ recipe }) => recipe === "demo") ?? agents?.[0] }
}
