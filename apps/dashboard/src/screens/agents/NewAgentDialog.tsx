import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { createAgent } from "../../api/agents.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { SecretDialog } from "../../ui/SecretDialog.tsx"
import { AgentFields } from "./AgentFields.tsx"
import { type Draft, NO_DRAFT, settingsOf } from "./draft.ts"

/** Makes an agent and leads to it. */
export const NewAgentDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const session = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [draft, setDraft] = useState<Draft>(NO_DRAFT)
  const [made, setMade] = useState<{ readonly agentId: string; readonly secret: string }>()
  const show = (agentId: string) => void navigate({ to: "/agents/$agentId", params: { agentId } })
  const create = useMutation({
    mutationFn: async () => {
      const { agent_id, endpoint } = await createAgent(session, { ...settingsOf(draft, NO_DRAFT), name: draft.name })
      const secret = endpoint?.signing_secret ?? undefined
      if (secret === undefined) show(agent_id)
      else setMade({ agentId: agent_id, secret })
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ["agents"] })
  })
  if (made !== undefined) {
    return (
      <SecretDialog
        title="The secret of its endpoint"
        secret={made.secret}
        sentence="Your program verifies with it that requests come from here."
        onClose={() => show(made.agentId)}
      />
    )
  }
  return (
    <FormDialog
      title="New agent"
      action="Create the agent"
      pending={create.isPending}
      error={create.error}
      ready={draft.name.trim() !== ""}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <AgentFields draft={draft} onChange={setDraft} />
    </FormDialog>
  )
}
