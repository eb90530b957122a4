import type { Workspace } from "@agent-platform/client"
import { type ReactNode, useState } from "react"
import { workspacesQuery } from "../../api/organization.ts"
import { usePages } from "../../api/usePages.ts"
import { useSession, useSessionActions } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { CopyId } from "../../ui/Copy.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { List } from "../../ui/List.tsx"
import { exactMoney } from "../../ui/numbers.ts"
import { RowMenu } from "../../ui/RowMenu.tsx"
import { Screen } from "../../ui/Screen.tsx"
import type { Column } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { EraseDialog } from "../erasure/EraseDialog.tsx"
import { OrganizationTabs } from "./OrganizationTabs.tsx"
import { WorkspaceDialog } from "./WorkspaceDialog.tsx"

const columns = (actions: (workspace: Workspace) => ReactNode): ReadonlyArray<Column<Workspace>> => [
  { id: "name", title: "Workspace", width: "minmax(160px, 1fr)", cell: ({ name }) => name },
  { id: "id", title: "Id", width: "88px", cell: ({ id }) => <CopyId id={id} label="workspace" /> },
  {
    id: "cap",
    title: "Cap of a month",
    width: "110px",
    numeric: true,
    cell: ({ monthly_cap_usd }) => (monthly_cap_usd === null ? "none" : exactMoney(monthly_cap_usd))
  },
  { id: "zone", title: "Time zone", width: "140px", cell: ({ timezone }) => timezone },
  {
    id: "keys",
    title: "Platform's keys",
    width: "110px",
    cell: ({ allow_platform_keys }) => (allow_platform_keys ? "Allowed" : "–")
  },
  {
    id: "retention",
    title: "Kept",
    width: "80px",
    numeric: true,
    cell: ({ retention_days }) => (retention_days === null ? "for ever" : `${retention_days} days`)
  },
  { id: "created", title: "Made", width: "96px", numeric: true, cell: ({ created_at }) => <Time at={created_at} /> },
  {
    id: "actions",
    title: "Actions",
    width: "60px",
    cell: actions
  }
]

/** The workspaces of the organization, with their caps. */
export const Workspaces = () => {
  const session = useSession()
  const list = usePages(workspacesQuery(session))
  const [isNew, setNew] = useState(false)
  const [changed, setChanged] = useState<Workspace>()
  const [erased, setErased] = useState<Workspace>()
  const { renew } = useSessionActions()
  const actions = (workspace: Workspace) => (
    <RowMenu
      name={workspace.name}
      items={[
        { label: "Change", onSelect: () => setChanged(workspace) },
        ...(session.can("data:erase") ? [{ label: "Erase", onSelect: () => setErased(workspace) }] : [])
      ]}
    />
  )
  return (
    <Screen
      title="Organization"
      bar={
        <>
          <OrganizationTabs />
          {session.can("org:admin") && (
            <Button kind="primary" onClick={() => setNew(true)}>
              <Icon name="plus" />
              New workspace
            </Button>
          )}
        </>
      }
    >
      <List
        label="Workspaces"
        list={list}
        columns={columns(actions)}
        keyOf={({ id }) => id}
        empty={<Empty sentence="There is no workspace yet: agents, runs and keys live in one." />}
      />
      {isNew && <WorkspaceDialog onClose={() => setNew(false)} />}
      {changed && <WorkspaceDialog before={changed} onClose={() => setChanged(undefined)} />}
      {erased && (
        <EraseDialog
          subject={{ kind: "workspace", id: erased.id }}
          name={erased.name}
          // The session may still have the erased workspace chosen.
          onErased={() => void renew()}
          onClose={() => setErased(undefined)}
        />
      )}
    </Screen>
  )
}
