import type { Endpoint } from "@agent-platform/client"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { usePages } from "../../api/usePages.ts"
import { endpointsQuery, mayOperate } from "../../api/webhooks.ts"
import { useRowKeys } from "../../frame/useRowKeys.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { List } from "../../ui/List.tsx"
import { Screen } from "../../ui/Screen.tsx"
import { type Column, rowLinkClasses } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { EndpointDialog } from "./EndpointDialog.tsx"
import { EndpointHealth } from "./EndpointHealth.tsx"
import { USUAL_TYPES } from "./eventTypes.ts"
import { EndpointState } from "./states.tsx"

/** As many characters as a narrow row has. */
const NARROW_CHARACTERS = 18

/** An address. Narrow rows have its host, and the end of its path: what endpoints of one host differ by. */
const AddressText = ({ url }: { readonly url: string }) => {
  const { host, pathname, search } = new URL(url)
  const path = pathname + search
  return (
    <>
      <span className="max-sm:hidden">{url}</span>
      <span className="text-xs sm:hidden">
        <span className="block truncate">{host}</span>
        <span className="block truncate text-muted">
          {path.length > NARROW_CHARACTERS ? `…${path.slice(1 - NARROW_CHARACTERS)}` : path}
        </span>
      </span>
    </>
  )
}

const COLUMNS: ReadonlyArray<Column<Endpoint>> = [
  {
    id: "url",
    title: "Address",
    width: "minmax(240px, 1fr)",
    cell: ({ id, url }) => (
      <Link to="/webhooks/$endpointId" params={{ endpointId: id }} className={rowLinkClasses} title={url}>
        <AddressText url={url} />
      </Link>
    )
  },
  {
    id: "status",
    title: "Status",
    width: "150px",
    cell: (endpoint) => <EndpointState endpoint={endpoint} />
  },
  {
    id: "health",
    title: "Last answer",
    width: "200px",
    cell: (endpoint) => <EndpointHealth endpoint={endpoint} />
  },
  {
    id: "events",
    title: "Events",
    width: "120px",
    cell: ({ event_types }) => {
      const types = (event_types.length === 0 ? USUAL_TYPES : event_types).join(", ")
      return (
        <span className="text-muted" title={types}>
          {types}
        </span>
      )
    }
  },
  { id: "created", title: "Made", width: "104px", numeric: true, cell: ({ created_at }) => <Time at={created_at} /> }
]

const REGISTER_COMMAND = `curl ${location.origin}/api/v1/org/webhooks -H "X-API-Key: $ORG_KEY" -H "Content-Type: application/json" \\
  -d '{"url": "https://example.com/hooks"}'`

/** The endpoints that events are sent to. */
export const Endpoints = () => {
  const session = useSession()
  const list = usePages(endpointsQuery(session))
  const [isNew, setNew] = useState(false)
  useRowKeys()
  return (
    <Screen
      title="Webhooks"
      bar={
        mayOperate(session) && (
          <Button kind="primary" onClick={() => setNew(true)}>
            <Icon name="plus" />
            New endpoint
          </Button>
        )
      }
    >
      <List
        label="Endpoints"
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <Empty
            sentence="No events are sent anywhere yet: name an address that takes them."
            command={REGISTER_COMMAND}
            note={
              <p className="text-muted">
                A webhook that sets an agent going is another thing: it is made on the page of{" "}
                <Link to="/agents" className="text-accent underline">
                  its agent
                </Link>
                .
              </p>
            }
          />
        }
      />
      {isNew && <EndpointDialog onClose={() => setNew(false)} />}
    </Screen>
  )
}
