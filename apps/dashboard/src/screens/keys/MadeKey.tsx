import type { CreatedApiKey } from "@agent-platform/client"
import { Command } from "../../ui/Command.tsx"
import { SecretDialog } from "../../ui/SecretDialog.tsx"
import { Time } from "../../ui/Time.tsx"
import { meCommand, runCommand } from "../first-steps/commands.ts"
import { useAgentToTry } from "../first-steps/useAgentToTry.ts"

interface MadeKeyProps {
  readonly made: CreatedApiKey
  readonly onClose: () => void
}

/** A new key, this once: when it ends, and a command to try it with. */
export const MadeKey = ({ made, onClose }: MadeKeyProps) => {
  const { expires_at, key, kind, name, scopes } = made
  const { agent } = useAgentToTry()
  const command = (value: string) =>
    kind === "workspace" && agent !== undefined && scopes.includes("runs:write")
      ? runCommand(location.origin, value, agent.agent_id)
      : meCommand(location.origin, value)
  return (
    <SecretDialog title={`The key ${name}`} secret={key} sentence="Keep it where secrets are kept." onClose={onClose}>
      <p>
        {expires_at === null ? (
          "It does not end by itself."
        ) : (
          <>
            It ends <Time at={expires_at} last />
          </>
        )}
      </p>
      {key !== null && (
        <>
          <p className="font-medium">To try it</p>
          <Command text={command(key)} />
        </>
      )}
    </SecretDialog>
  )
}
