import type { Agent } from "@agent-platform/client"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { agentListQuery } from "../../api/agents.ts"
import { usePages } from "../../api/usePages.ts"
import { useRowKeys } from "../../frame/useRowKeys.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { List } from "../../ui/List.tsx"
import { Screen } from "../../ui/Screen.tsx"
import { Status } from "../../ui/Status.tsx"
import { type Column, rowNameClasses } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { useCommandMeans } from "../first-steps/useCommandMeans.tsx"
import { NewAgentDialog } from "./NewAgentDialog.tsx"

const COLUMNS: ReadonlyArray<Column<Agent>> = [
  {
    id: "name",
    title: "Agent",
    width: "minmax(160px, 1fr)",
    cell: ({ agent_id, name }) => (
      <Link to="/agents/$agentId" params={{ agentId: agent_id }} className={rowNameClasses} title={name}>
        {name}
      </Link>
    )
  },
  {
    id: "status",
    title: "Status",
    width: "104px",
    cell: ({ status }) =>
      status === "active" ? <Status tone="good" word="Active" /> : <Status tone="idle" word="Archived" />
  },
  { id: "recipe", title: "Recipe", width: "110px", cell: ({ recipe }) => recipe },
  { id: "model", title: "Model", width: "minmax(140px, 1fr)", cell: ({ model }) => model ?? "–" },
  {
    id: "webhook",
    title: "Inbound webhook",
    width: "120px",
    cell: ({ webhook }) => (webhook?.active ? "On" : "–")
  },
  { id: "updated", title: "Changed", width: "104px", numeric: true, cell: ({ updated_at }) => <Time at={updated_at} /> }
]

const first = (
  key: string
): string => `curl ${location.origin}/api/v1/agents -H "X-API-Key: ${key}" -H "Content-Type: application/json" \\
  -d '{"name": "First", "recipe": "chat", "model": "openai/gpt-5", "instructions": "Be brief."}'`

/** The agents of the workspace. */
export const Agents = () => {
  const session = useSession()
  const list = usePages(agentListQuery(session))
  const means = useCommandMeans({ isOfAgent: false })
  const [isNew, setNew] = useState(false)
  useRowKeys()
  return (
    <Screen
      title="Agents"
      bar={
        session.can("agents:write") && (
          <Button kind="primary" onClick={() => setNew(true)}>
            <Icon name="plus" />
            New agent
          </Button>
        )
      }
    >
      <List
        label="Agents"
        list={list}
        columns={COLUMNS}
        keyOf={({ agent_id }) => agent_id}
        empty={
          <Empty
            sentence="There is no agent here yet: make one, and let it run."
            command={first(means.key)}
            note={means.note}
          />
        }
      />
      {isNew && <NewAgentDialog onClose={() => setNew(false)} />}
    </Screen>
  )
}
