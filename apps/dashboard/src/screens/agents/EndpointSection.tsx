import type { Agent } from "@agent-platform/client"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { updateAgent } from "../../api/agents.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { RotateEndpointDialog } from "./RotateEndpointDialog.tsx"

/** The secret that requests to one's own program are signed with. */
export const EndpointSection = ({ agent, url }: { readonly agent: Agent; readonly url: string }) => {
  const session = useSession()
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  return (
    <section className="grid gap-3" aria-label="Secret of the endpoint">
      <h2 className="font-semibold">Secret of the endpoint</h2>
      <p className="text-muted">Requests to your program are signed with it. It was shown when it was made.</p>
      <div>
        <Button onClick={() => setOpen(true)}>Rotate</Button>
      </div>
      {isOpen && (
        <RotateEndpointDialog
          url={url}
          update={(change) => updateAgent(session, agent, change)}
          onClose={() => {
            setOpen(false)
            void queries.invalidateQueries({ queryKey: ["agents"] })
          }}
        />
      )}
    </section>
  )
}
