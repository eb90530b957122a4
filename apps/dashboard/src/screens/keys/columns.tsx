import type { ApiKey } from "@agent-platform/client"
import type { ReactNode } from "react"
import { Status, type Tone } from "../../ui/Status.tsx"
import type { Column } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"

const STATES: Readonly<Record<ApiKey["status"], readonly [tone: Tone, word: string]>> = {
  active: ["good", "Active"],
  rotating: ["warn", "Rotating"],
  disabled: ["idle", "Switched off"],
  revoked: ["bad", "Revoked"],
  expired: ["idle", "Expired"]
}

const State = ({ status }: { readonly status: ApiKey["status"] }) => {
  const [tone, word] = STATES[status]
  return <Status tone={tone} word={word} />
}

/** The columns of a list of API keys, the last of which holds what can be done; the key that the page itself calls with is marked. */
export const columns = (actions: (key: ApiKey) => ReactNode, ownId: string | null): ReadonlyArray<Column<ApiKey>> => [
  {
    id: "name",
    title: "Name",
    width: "minmax(140px, 1fr)",
    cell: ({ id, name }) => (
      <>
        {id === ownId && <span className="mr-2 rounded-sm bg-tint px-1.5 text-sm">This page</span>}
        {name}
      </>
    )
  },
  {
    id: "hint",
    title: "Key",
    width: "150px",
    cell: ({ hint }) => <span className="font-mono text-sm text-muted">{hint}</span>
  },
  { id: "status", title: "Status", width: "110px", cell: ({ status }) => <State status={status} /> },
  {
    id: "scopes",
    title: "Rights",
    width: "minmax(140px, 1fr)",
    cell: ({ scopes }) => (
      <span className="text-muted" title={scopes.join(", ")}>
        {scopes.join(", ")}
      </span>
    )
  },
  {
    id: "used",
    title: "Last used",
    width: "96px",
    numeric: true,
    // The list itself was read with the page's own key.
    cell: ({ id, last_used_at }) =>
      id === ownId ? "now" : last_used_at === null ? "never" : <Time at={last_used_at} />
  },
  {
    id: "expires",
    title: "Ends",
    width: "96px",
    numeric: true,
    cell: ({ expires_at }) => (expires_at === null ? "never" : <Time at={expires_at} />)
  },
  { id: "created", title: "Made", width: "96px", numeric: true, cell: ({ created_at }) => <Time at={created_at} /> },
  { id: "actions", title: "Actions", width: "60px", cell: actions }
]
