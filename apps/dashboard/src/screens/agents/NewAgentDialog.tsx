import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { createAgent } from "../../api/agents.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { AgentDialog } from "./AgentDialog.tsx"

/** Makes an agent and leads to it. */
export const NewAgentDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const session = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return (
    <AgentDialog
      title="New agent"
      action="Create the agent"
      save={async (settings) => {
        const made = await createAgent(session, settings)
        void queries.invalidateQueries({ queryKey: ["agents"] })
        return made
      }}
      onSaved={({ agent_id }) => navigate({ to: "/agents/$agentId", params: { agentId: agent_id } })}
      onClose={onClose}
    />
  )
}
