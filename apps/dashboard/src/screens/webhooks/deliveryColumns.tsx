import type { Delivery } from "@agent-platform/client"
import { Link } from "@tanstack/react-router"
import { type Column, rowLinkClasses } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { answerOf } from "./healthOf.ts"
import { DeliveryState, EventKind } from "./states.tsx"

/** How the newest attempt ended: the code of the answer, or why there was none. */
const lastAnswer = ({ attempts }: Delivery): string => {
  const last = attempts.at(-1)
  return last === undefined ? "–" : answerOf(last)
}

/** The columns of the list of deliveries. */
export const deliveryColumns = (
  endpointId: string,
  state: Delivery["state"] | undefined,
  tests: ReadonlySet<unknown>
): ReadonlyArray<Column<Delivery>> => [
  {
    id: "delivery",
    title: "Delivery",
    width: "110px",
    cell: ({ delivery_id }) => (
      <Link
        to="/webhooks/$endpointId"
        params={{ endpointId }}
        search={{ state, delivery: delivery_id }}
        className={rowLinkClasses}
        title={delivery_id}
      >
        {delivery_id.slice(-8)}
      </Link>
    )
  },
  { id: "state", title: "State", width: "220px", cell: (delivery) => <DeliveryState delivery={delivery} /> },
  {
    id: "event",
    title: "Event",
    width: "minmax(140px, 1fr)",
    cell: ({ delivery_id, event_type }) => <EventKind type={event_type} isTest={tests.has(delivery_id)} />
  },
  { id: "attempts", title: "Attempts", width: "72px", numeric: true, cell: ({ attempt_count }) => attempt_count },
  { id: "answer", title: "Last answer", width: "minmax(120px, 1fr)", cell: lastAnswer },
  { id: "created", title: "Made", width: "104px", numeric: true, cell: ({ created_at }) => <Time at={created_at} /> }
]
