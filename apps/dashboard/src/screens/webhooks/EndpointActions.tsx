import type { Endpoint } from "@agent-platform/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { deleteEndpoint, enableEndpoint, mayOperate, testEndpoint, updateEndpoint } from "../../api/webhooks.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { RowMenu } from "../../ui/RowMenu.tsx"
import { EndpointDialog } from "./EndpointDialog.tsx"
import { ReplayDialog } from "./ReplayDialog.tsx"
import { RotateSecretDialog } from "./RotateSecretDialog.tsx"

/** Everything that can be done with an endpoint. */
export const EndpointActions = ({ endpoint }: { readonly endpoint: Endpoint }) => {
  const session = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [open, setOpen] = useState<"change" | "rotate" | "replay" | "delete">()
  const renew = () => queries.invalidateQueries({ queryKey: ["webhooks"] })
  const isActive = endpoint.status === "active"
  const test = useMutation({ mutationFn: () => testEndpoint(session, endpoint.id), onSuccess: renew })
  const toggle = useMutation({
    mutationFn: () =>
      isActive ? updateEndpoint(session, endpoint.id, { status: "disabled" }) : enableEndpoint(session, endpoint.id),
    onSuccess: renew
  })
  const remove = useMutation({
    mutationFn: () => deleteEndpoint(session, endpoint.id),
    onSuccess: async () => {
      await navigate({ to: "/webhooks" })
      await renew()
    }
  })
  if (!mayOperate(session) || endpoint.status === "deleted") return null
  const close = () => setOpen(undefined)
  return (
    <>
      <ProblemNotice error={test.error ?? toggle.error} />
      {isActive && (
        <>
          <Button disabled={test.isPending} onClick={() => test.mutate()}>
            Send a test
          </Button>
          <Button onClick={() => setOpen("replay")}>Send a range again</Button>
        </>
      )}
      {!isActive && (
        <Button disabled={toggle.isPending} onClick={() => toggle.mutate()}>
          Enable
        </Button>
      )}
      <RowMenu
        name="the endpoint"
        items={[
          { label: "Change", onSelect: () => setOpen("change") },
          { label: "Rotate the secret", onSelect: () => setOpen("rotate") },
          // With a fourth button the bar would not fit on a narrow screen.
          ...(isActive ? [{ label: "Disable", onSelect: () => toggle.mutate() }] : []),
          { label: "Delete", onSelect: () => setOpen("delete") }
        ]}
      />
      {open === "change" && <EndpointDialog before={endpoint} onClose={close} />}
      {open === "rotate" && <RotateSecretDialog endpointId={endpoint.id} onClose={close} />}
      {open === "replay" && <ReplayDialog endpointId={endpoint.id} onClose={close} />}
      <Confirm
        open={open === "delete"}
        onOpenChange={(isOpen) => !isOpen && close()}
        title="Delete the endpoint?"
        action="Delete"
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
      >
        Nothing is sent to it any more, and what waits is given up.
      </Confirm>
    </>
  )
}
