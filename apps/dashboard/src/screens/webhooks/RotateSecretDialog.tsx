import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { rotateSecret } from "../../api/webhooks.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { GRACES, type Grace } from "../../ui/graces.ts"
import { SecretDialog } from "../../ui/SecretDialog.tsx"
import { Select } from "../../ui/Select.tsx"

interface RotateSecretDialogProps {
  readonly endpointId: string
  readonly onClose: () => void
}

/** Gives an endpoint another secret, shown this once. */
export const RotateSecretDialog = ({ endpointId, onClose }: RotateSecretDialogProps) => {
  const session = useSession()
  const [grace, setGrace] = useState<Grace>("86400")
  const [secret, setSecret] = useState<string | null>()
  const rotate = useMutation({
    mutationFn: async () => {
      setSecret((await rotateSecret(session, endpointId, Number(grace))).secret)
    }
  })
  if (secret !== undefined) {
    return (
      <SecretDialog
        title="The new secret"
        secret={secret}
        sentence="Give it to the receiver, before the old one ends."
        onClose={onClose}
      />
    )
  }
  return (
    <FormDialog
      title="Rotate the secret"
      description="Events are signed with another one from now on."
      action="Rotate"
      pending={rotate.isPending}
      error={rotate.error}
      onSubmit={() => rotate.mutate()}
      onClose={onClose}
    >
      <div>
        <Select label="The old one signs, too" value={grace} choices={GRACES} onChange={setGrace} />
      </div>
    </FormDialog>
  )
}
