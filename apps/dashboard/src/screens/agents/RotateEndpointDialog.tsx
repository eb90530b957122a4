import type { AgentChange, AgentEndpoint } from "@agent-platform/client"
import { RotateSecret } from "../../ui/RotateSecret.tsx"

interface RotateEndpointDialogProps {
  readonly url: string
  readonly update: (change: AgentChange) => Promise<{ readonly endpoint: AgentEndpoint | null }>
  /** Called once the new secret was seen, or nothing was done. */
  readonly onClose: () => void
}

/** Gives an agent's endpoint another signing secret, and says for how long the old one signs as well. */
export const RotateEndpointDialog = ({ onClose, update, url }: RotateEndpointDialogProps) => (
  <RotateSecret
    title="Rotate the secret of the endpoint"
    description="Requests to your program are signed with another one."
    grace={{ label: "The old one signs as well", usual: "86400" }}
    rotate={async (grace_seconds) => {
      const { endpoint } = await update({ endpoint: { url, rotate_secret: true, grace_seconds } })
      return endpoint?.signing_secret ?? null
    }}
    made={{
      title: "The new secret of its endpoint",
      sentence: "Have your program verify with it, before the old one ends."
    }}
    onClose={onClose}
  />
)
