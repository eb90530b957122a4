import type { Member, ReachableWorkspace } from "@agent-platform/client"
import type { ReactNode } from "react"
import { Status, type Tone } from "../../ui/Status.tsx"
import type { Column } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"

const STATES: Readonly<Record<Member["status"], readonly [tone: Tone, word: string]>> = {
  joined: ["good", "Joined"],
  invited: ["busy", "Invited"],
  lapsed: ["warn", "Lapsed"]
}

const State = ({ status }: Member) => {
  const [tone, word] = STATES[status]
  return <Status tone={tone} word={word} />
}

/** The columns of the list of members. */
export const memberColumns = (
  workspaces: ReadonlyArray<ReachableWorkspace>,
  actions: (member: Member) => ReactNode
): ReadonlyArray<Column<Member>> => {
  const names = new Map(workspaces.map(({ id, name }) => [id, name]))
  const placesOf = (member: Member): string =>
    member.workspaces
      .map(({ role, workspace_id }) => `${names.get(workspace_id) ?? workspace_id.slice(-8)} (${role})`)
      .join(", ")
  return [
    { id: "email", title: "Email", width: "minmax(180px, 1fr)", cell: ({ email }) => email },
    { id: "name", title: "Name", width: "minmax(120px, 180px)", cell: ({ user }) => user?.name ?? "–" },
    { id: "status", title: "Status", width: "96px", cell: (member) => <State {...member} /> },
    { id: "role", title: "Role", width: "80px", cell: ({ organization_role }) => organization_role ?? "–" },
    {
      id: "workspaces",
      title: "Workspaces",
      width: "minmax(160px, 1fr)",
      cell: (member) => (
        <span className="text-muted" title={placesOf(member)}>
          {member.organization_role === null ? placesOf(member) : "All"}
        </span>
      )
    },
    {
      id: "invited",
      title: "Invited",
      width: "96px",
      numeric: true,
      cell: ({ invited_at }) => <Time at={invited_at} />
    },
    { id: "actions", title: "Actions", width: "60px", cell: actions }
  ]
}
