import type { AgentWebhook } from "@agent-platform/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { createAgentWebhook } from "../../api/agents.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Command } from "../../ui/Command.tsx"
import { TextField } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { SecretDialog } from "../../ui/SecretDialog.tsx"
import { SelectField } from "../../ui/Select.tsx"
import { hookCommand } from "../first-steps/commands.ts"

interface InboundWebhookDialogProps {
  readonly agentId: string
  /** Whether there is an address, which ends with this. */
  readonly replaces: boolean
  readonly onClose: () => void
}

const WAYS = [
  { value: "none", label: "By its secret address alone" },
  { value: "standard-webhooks", label: "Standard Webhooks" },
  { value: "stripe", label: "Stripe" },
  { value: "github", label: "GitHub" }
] as const

/** Makes an agent's inbound webhook; its address is shown this once. */
export const InboundWebhookDialog = ({ agentId, onClose, replaces }: InboundWebhookDialogProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const [verification, setVerification] = useState<AgentWebhook["verification"]>("none")
  const [sendersSecret, setSendersSecret] = useState("")
  const [made, setMade] = useState<Pick<AgentWebhook, "url" | "secret">>()
  const create = useMutation({
    mutationFn: async () => {
      const given = verification === "none" ? "" : sendersSecret.trim()
      const body = { verification, ...(given === "" ? {} : { secret: given }) }
      const { secret, url } = await createAgentWebhook(session, agentId, body)
      setMade({ url, secret })
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ["agents"] })
  })
  if (made !== undefined) {
    return (
      <SecretDialog
        title="The address of the webhook"
        secret={made.url}
        {...(made.secret === null ? {} : { also: { label: "Its signing secret", secret: made.secret } })}
        sentence="Give it to the service that sends: who has it sets the agent going."
        onClose={onClose}
      >
        <p>The agent gets the body of each request, JSON or a form, as the input of a run.</p>
        {verification !== "none" && <p>Only requests that the sender has signed are taken.</p>}
        {verification === "none" && made.url !== null && (
          <>
            <p className="font-medium">To try it</p>
            <Command text={hookCommand(made.url)} />
          </>
        )}
      </SecretDialog>
    )
  }
  return (
    <FormDialog
      title={replaces ? "Make a new address" : "Make an address"}
      {...(replaces ? { description: "The address that there is takes nothing any more." } : {})}
      action="Make the address"
      pending={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <SelectField label="Requests are verified" value={verification} choices={WAYS} onChange={setVerification} />
      {verification !== "none" && (
        <TextField
          label="Signing secret"
          member="secret"
          type="password"
          autoComplete="off"
          value={sendersSecret}
          onChange={setSendersSecret}
          hint="That of the sender. Leave empty: one is made here"
        />
      )}
    </FormDialog>
  )
}
