import { rotateSecret } from "../../api/webhooks.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { RotateSecret } from "../../ui/RotateSecret.tsx"

interface RotateSecretDialogProps {
  readonly endpointId: string
  readonly onClose: () => void
}

/** Gives an endpoint another secret. */
export const RotateSecretDialog = ({ endpointId, onClose }: RotateSecretDialogProps) => {
  const session = useSession()
  return (
    <RotateSecret
      title="Rotate the secret"
      description="Events are signed with another one from now on."
      grace={{ label: "The old one signs, too", usual: "86400" }}
      rotate={async (graceSeconds) => (await rotateSecret(session, endpointId, graceSeconds)).secret}
      made={{ title: "The new secret", sentence: "Give it to the receiver, before the old one ends." }}
      onClose={onClose}
    />
  )
}
