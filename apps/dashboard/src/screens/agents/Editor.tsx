import type { Agent } from "@agent-platform/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useBlocker, useLocation } from "@tanstack/react-router"
import { useState } from "react"
import { agentQuery, updateAgent } from "../../api/agents.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { Form } from "../../ui/Form.tsx"
import { AgentFields } from "./AgentFields.tsx"
import { draftOf, isReadable, settingsOf } from "./draft.ts"
import { EndpointSecret } from "./EndpointSecret.tsx"

/** The settings of an agent, to read and, for whom it is allowed, to change. */
export const Editor = ({ agent }: { readonly agent: Agent }) => {
  const session = useSession()
  const queries = useQueryClient()
  const before = draftOf(agent)
  const [draft, setDraft] = useState(before)
  const [secret, setSecret] = useState<string>()
  const renew = () => queries.invalidateQueries({ queryKey: ["agents"] })
  const save = useMutation({
    mutationFn: async () => {
      const { endpoint } = await updateAgent(session, agent, settingsOf(draft, before))
      if (endpoint?.signing_secret) setSecret(endpoint.signing_secret)
      // Only without a secret to show: once the new version is read, another form takes the place of this one.
      else await queries.refetchQueries({ queryKey: agentQuery(session, agent.agent_id).queryKey })
    }
  })
  const mayWrite = session.can("agents:write") && agent.status === "active"
  const isChanged = Object.keys(draft).some(
    (field) => draft[field as keyof typeof draft] !== before[field as keyof typeof draft]
  )
  const ownPath = useLocation({ select: ({ pathname }) => pathname })
  // Where this form stands, also once the address is already that of the next screen.
  const [path] = useState(ownPath)
  const leaving = useBlocker({
    // While the next screen is loaded, this form is still here: it no longer asks, since its own address was left.
    shouldBlockFn: ({ current, next }) => isChanged && current.pathname === path && next.pathname !== path,
    enableBeforeUnload: isChanged,
    withResolver: true
  })
  return (
    <Form
      label="Settings"
      error={save.error}
      onSubmit={() => save.mutate()}
      actions={
        mayWrite && (
          <>
            {isChanged && <Button onClick={() => setDraft(before)}>Undo</Button>}
            <Button type="submit" kind="primary" disabled={save.isPending || !isChanged || !isReadable(draft)}>
              Save
            </Button>
          </>
        )
      }
    >
      <h2 className="font-semibold">Settings</h2>
      <AgentFields draft={draft} disabled={!mayWrite} onChange={setDraft} />
      <Confirm
        open={leaving.status === "blocked"}
        onOpenChange={(open) => !open && leaving.reset?.()}
        title="Leave without saving?"
        action="Leave"
        pending={false}
        error={null}
        onConfirm={() => leaving.proceed?.()}
      >
        The settings of {agent.name} that you have changed are not saved.
      </Confirm>
      {secret !== undefined && (
        <EndpointSecret
          secret={secret}
          onClose={() => {
            setSecret(undefined)
            void renew()
          }}
        />
      )}
    </Form>
  )
}
