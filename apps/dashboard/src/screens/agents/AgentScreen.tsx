import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router"
import { agentQuery } from "../../api/agents.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { CopyId } from "../../ui/Copy.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { barGroupClasses, Screen } from "../../ui/Screen.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { EraseButton } from "../erasure/EraseButton.tsx"
import { ArchiveButton } from "./ArchiveButton.tsx"
import { Editor } from "./Editor.tsx"
import { EndpointSection } from "./EndpointSection.tsx"
import { InboundWebhook } from "./InboundWebhook.tsx"
import { TryIt } from "./TryIt.tsx"
import { Versions } from "./Versions.tsx"

const route = getRouteApi("/frame/agents/$agentId")

/** An agent: its settings, a way to try it, the ways in and out, and its earlier versions. */
export const AgentScreen = () => {
  const session = useSession()
  const navigate = useNavigate()
  const { agentId } = route.useParams()
  const { data: agent, error, refetch } = useQuery(agentQuery(session, agentId))
  if (error !== null) {
    return (
      <Screen title="Agent">
        <div className="p-4">
          <ProblemNotice error={error} onRetry={() => void refetch()} />
        </div>
      </Screen>
    )
  }
  if (agent === undefined) return <Skeleton />
  const isActive = agent.status === "active"
  return (
    <Screen
      title={agent.name}
      bar={
        <div className={barGroupClasses}>
          <CopyId id={agent.agent_id} label="agent" />
          <Link to="/runs" search={{ agent_id: agent.agent_id }} className="text-accent underline">
            Its runs
          </Link>
          {session.can("feeds:read") && (
            <Link to="/activity" search={{ about: agent.agent_id }} className="text-accent underline">
              Its activity
            </Link>
          )}
          {isActive && session.can("agents:write") && <ArchiveButton agent={agent} />}
          <EraseButton
            subject={{ kind: "agent", id: agent.agent_id }}
            name={agent.name}
            onErased={() => void navigate({ to: "/agents" })}
          />
        </div>
      }
    >
      <div className="min-h-0 flex-1 overflow-auto">
        <div className="grid max-w-[1100px] gap-6 p-4 lg:grid-cols-2">
          <Editor key={`${agent.agent_id} ${agent.version}`} agent={agent} />
          <div className="grid content-start gap-6">
            {isActive && session.can("runs:write") && <TryIt agent={agent} />}
            <InboundWebhook agent={agent} />
            {agent.endpoint !== null && isActive && session.can("agents:write") && (
              <EndpointSection agent={agent} url={agent.endpoint.url} />
            )}
            <Versions agent={agent} />
          </div>
        </div>
      </div>
    </Screen>
  )
}
