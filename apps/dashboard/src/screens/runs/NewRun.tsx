import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { agentsQuery } from "../../api/agents.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button, buttonClasses } from "../../ui/Button.tsx"

const RunDialog = lazy(async () => ({ default: (await import("../agents/RunDialog.tsx")).RunDialog }))

/** Opens a form that triggers a run, of the agent that the list is filtered by first; where there is no agent it leads to where one is made. */
export const NewRun = ({ agentId }: { readonly agentId: string | undefined }) => {
  const { data } = useQuery(agentsQuery(useSession()))
  const [isOpen, setOpen] = useState(false)
  const active = data?.filter(({ status }) => status === "active") ?? []
  if (data !== undefined && active.length === 0) {
    return (
      <Link to="/agents" className={buttonClasses("primary")}>
        New run
      </Link>
    )
  }
  const agents = [
    ...active.filter(({ agent_id }) => agent_id === agentId),
    ...active.filter(({ agent_id }) => agent_id !== agentId)
  ]
  return (
    <>
      <Button kind="primary" disabled={data === undefined} onClick={() => setOpen(true)}>
        New run
      </Button>
      {isOpen && (
        <Suspense>
          <RunDialog title="New run" agents={agents} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
