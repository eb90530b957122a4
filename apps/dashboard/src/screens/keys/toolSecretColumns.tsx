import type { ToolSecret } from "@agent-platform/client"
import type { ReactNode } from "react"
import type { Column } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"

type Shown = Pick<ToolSecret, "name" | "host_pattern" | "header" | "oauth" | "updated_at">

/** The columns of a list of tool secrets, of a workspace or of the organization. */
export const toolSecretColumns = <Row extends Shown>(
  actions: (secret: Row) => ReactNode
): ReadonlyArray<Column<Row>> => [
  { id: "name", title: "Name", width: "minmax(140px, 1fr)", cell: ({ name }) => name },
  {
    id: "hosts",
    title: "Sent to",
    width: "minmax(160px, 1fr)",
    cell: ({ host_pattern }) => <span className="font-mono text-sm text-muted">{host_pattern}</span>
  },
  { id: "header", title: "In the header", width: "140px", cell: ({ header }) => header },
  {
    id: "kind",
    title: "What is sent",
    width: "120px",
    cell: ({ oauth }) => (oauth === null ? "The value" : "Access tokens")
  },
  {
    id: "updated",
    title: "Changed",
    width: "104px",
    numeric: true,
    cell: ({ updated_at }) => <Time at={updated_at} />
  },
  { id: "actions", title: "Actions", width: "60px", cell: actions }
]
