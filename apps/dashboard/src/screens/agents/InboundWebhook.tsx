import type { Agent } from "@agent-platform/client"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { agentWebhookQuery, deleteAgentWebhook } from "../../api/agents.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { Time } from "../../ui/Time.tsx"
import { InboundWebhookDialog } from "./InboundWebhookDialog.tsx"

/** The address at which other services set the agent going. */
export const InboundWebhook = ({ agent }: { readonly agent: Agent }) => {
  const session = useSession()
  const queries = useQueryClient()
  const [open, setOpen] = useState<"new" | "end">()
  const close = () => setOpen(undefined)
  const end = useMutation({
    mutationFn: () => deleteAgentWebhook(session, agent.agent_id),
    onSuccess: async () => {
      close()
      await queries.invalidateQueries({ queryKey: ["agents"] })
    }
  })
  const { webhook } = agent
  const isOn = webhook?.active === true
  const { data: latest } = useQuery({ ...agentWebhookQuery(session, agent.agent_id), enabled: isOn })
  const receivedAt = latest?.last_received_at ?? webhook?.last_received_at ?? null
  const mayWrite = session.can("agents:write") && agent.status === "active"
  return (
    <section className="grid gap-3" aria-label="Inbound webhook">
      <h2 className="font-semibold">Inbound webhook</h2>
      {isOn ? (
        <p>
          On, {webhook.verification === "none" ? "without verification" : `verified as by ${webhook.verification}`};{" "}
          {receivedAt === null ? (
            "nothing has come yet."
          ) : (
            <>
              the last request came <Time at={receivedAt} last />
            </>
          )}
        </p>
      ) : (
        <p className="text-muted">Off. With one, a request of another service sets the agent going.</p>
      )}
      {mayWrite && (
        <div className="flex gap-2">
          <Button onClick={() => setOpen("new")}>{isOn ? "Make a new address" : "Make an address"}</Button>
          {isOn && (
            <Button kind="danger" onClick={() => setOpen("end")}>
              Switch off
            </Button>
          )}
        </div>
      )}
      {open === "new" && <InboundWebhookDialog agentId={agent.agent_id} replaces={isOn} onClose={close} />}
      <Confirm
        open={open === "end"}
        onOpenChange={(isOpen) => !isOpen && close()}
        title="Switch the inbound webhook off?"
        action="Switch off"
        pending={end.isPending}
        error={end.error}
        onConfirm={() => end.mutate()}
      >
        Its address takes nothing any more, for good.
      </Confirm>
    </section>
  )
}
