import { SecretDialog } from "../../ui/SecretDialog.tsx"

interface EndpointSecretProps {
  readonly secret: string
  readonly onClose: () => void
}

/** The signing secret of an agent's endpoint, this once. */
export const EndpointSecret = ({ onClose, secret }: EndpointSecretProps) => (
  <SecretDialog
    title="The secret of its endpoint"
    secret={secret}
    sentence="Your program verifies with it that requests come from here."
    onClose={onClose}
  />
)
