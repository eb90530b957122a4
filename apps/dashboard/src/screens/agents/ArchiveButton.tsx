import type { Agent } from "@agent-platform/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { archiveAgent } from "../../api/agents.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"

/** Archives an agent. */
export const ArchiveButton = ({ agent }: { readonly agent: Agent }) => {
  const session = useSession()
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const archive = useMutation({
    mutationFn: () => archiveAgent(session, agent.agent_id),
    onSuccess: async () => {
      setOpen(false)
      await queries.invalidateQueries({ queryKey: ["agents"] })
    }
  })
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Archive
      </Button>
      <Confirm
        open={isOpen}
        onOpenChange={setOpen}
        title={`Archive ${agent.name}?`}
        action="Archive"
        pending={archive.isPending}
        error={archive.error}
        onConfirm={() => archive.mutate()}
      >
        It takes no more runs. Those that it has stay.
      </Confirm>
    </>
  )
}
