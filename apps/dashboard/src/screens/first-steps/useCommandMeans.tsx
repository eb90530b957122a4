import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useSession } from "../../session/SessionContext.tsx"
import { trialKeyIn } from "../../session/startLink.ts"
import { useAgentToTry } from "./useAgentToTry.ts"

interface CommandMeans {
  /** The key for a command, or the name that stands for it. */
  readonly key: string
  /** The same of an agent. */
  readonly agentId: string
  /** Says where to get what is still to be put in; undefined where nothing is. */
  readonly note: ReactNode
}

const Place = ({
  label,
  name,
  to
}: {
  readonly to: "/keys" | "/agents"
  readonly label: string
  readonly name: string
}) => (
  <p className="text-muted">
    <Link to={to} className="text-accent underline">
      {label}
    </Link>{" "}
    of this workspace to put in the place of {name}.
  </p>
)

/** The real key and agent for the command of an empty page, as far as the page has them. `isOfAgent` says whether that command names an agent. */
export const useCommandMeans = ({ isOfAgent }: { readonly isOfAgent: boolean }): CommandMeans => {
  const session = useSession()
  const key = trialKeyIn(session.workspace?.id)
  const { agent, agents } = useAgentToTry()
  const needsAgent = isOfAgent && agents?.length === 0 && session.can("agents:write")
  const needsKey = key === undefined && session.can("keys:write")
  return {
    key: key ?? "$KEY",
    agentId: agent?.agent_id ?? "'$AGENT'",
    note: (needsKey || needsAgent) && (
      <>
        {needsKey && <Place to="/keys" label="Make a key" name="$KEY" />}
        {needsAgent && <Place to="/agents" label="Make an agent" name="$AGENT" />}
      </>
    )
  }
}
