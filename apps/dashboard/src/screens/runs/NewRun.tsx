import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { agentsQuery } from "../../api/agents.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button, buttonClasses } from "../../ui/Button.tsx"

const NewRunDialog = lazy(async () => ({ default: (await import("../agents/NewRunDialog.tsx")).NewRunDialog }))

/** Opens a form that triggers a run, of the given agent unless another is chosen. Where no agent is active it leads to the agents. */
export const NewRun = ({ agentId }: { readonly agentId: string | undefined }) => {
  const { data } = useQuery(agentsQuery(useSession()))
  const [isOpen, setOpen] = useState(false)
  if (data?.every(({ status }) => status !== "active")) {
    return (
      <Link to="/agents" className={buttonClasses("primary")}>
        New run
      </Link>
    )
  }
  return (
    <>
      <Button kind="primary" disabled={data === undefined} onClick={() => setOpen(true)}>
        New run
      </Button>
      {isOpen && (
        <Suspense>
          <NewRunDialog agentId={agentId} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
