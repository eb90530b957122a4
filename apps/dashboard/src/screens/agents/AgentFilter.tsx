import { useQuery } from "@tanstack/react-query"
import { agentsQuery } from "../../api/agents.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Filter } from "../../ui/Filter.tsx"

interface AgentFilterProps {
  readonly agentId: string | undefined
  readonly onChange: (agentId: string | undefined) => void
}

/** The filter of a list by agent. */
export const AgentFilter = ({ agentId, onChange }: AgentFilterProps) => {
  const session = useSession()
  const { data: agents = [] } = useQuery({ ...agentsQuery(session), enabled: session.can("agents:read") })
  const choices = agents.map(({ agent_id, name }) => ({ value: agent_id, label: name }))
  return <Filter label="Agent" value={agentId} choices={choices} onChange={onChange} />
}
