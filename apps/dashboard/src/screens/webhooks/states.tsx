/** How the states of endpoints, deliveries and replays are said and drawn. */
import type { Delivery, Endpoint, Replay } from "@agent-platform/client"
import { Status } from "../../ui/Status.tsx"

/** An endpoint's state; why it is disabled, on hover. */
export const EndpointState = ({ endpoint: { disabled_reason, status } }: { readonly endpoint: Endpoint }) => {
  if (status === "active") return <Status tone="good" word="Active" />
  if (status === "deleted") return <Status tone="idle" word="Deleted" />
  return disabled_reason === "failing" ? <Status tone="bad" word="Failing" /> : <Status tone="idle" word="Disabled" />
}

/** A delivery's state. */
export const DeliveryState = ({ delivery: { state, state_reason } }: { readonly delivery: Delivery }) => {
  if (state === "delivered") return <Status tone="good" word="Delivered" />
  if (state === "pending") return <Status tone="busy" word="Pending" />
  return (
    <span title={state_reason ?? undefined}>
      <Status tone="bad" word="Dead" />
    </span>
  )
}

const REPLAYS = {
  pending: <Status tone="idle" word="Waiting" />,
  running: <Status tone="busy" word="Running" />,
  completed: <Status tone="good" word="Completed" />,
  stopped: <Status tone="bad" word="Stopped" />
}

/** A replay's state. */
export const ReplayState = ({ replay: { state } }: { readonly replay: Replay }) => REPLAYS[state]
