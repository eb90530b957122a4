/** How the states of endpoints, deliveries and replays are said and drawn. */
import type { Delivery, Endpoint, Replay } from "@agent-platform/client"
import { Status } from "../../ui/Status.tsx"
import { Time } from "../../ui/Time.tsx"

/** An endpoint's state; why it is disabled, on hover. */
export const EndpointState = ({ endpoint: { disabled_reason, status } }: { readonly endpoint: Endpoint }) => {
  if (status === "active") return <Status tone="good" word="Active" />
  if (status === "deleted") return <Status tone="idle" word="Deleted" />
  return disabled_reason === "failing" ? <Status tone="bad" word="Failing" /> : <Status tone="idle" word="Disabled" />
}

/** Whether the newest attempt arrived; one that is sent again by hand has arrived before. */
const hasArrived = ({ attempts }: Delivery): boolean => {
  const code = attempts.at(-1)?.response_code ?? 0
  return code >= 200 && code < 300
}

/** A delivery's state; of one that fails, when it is tried again. */
export const DeliveryState = ({ delivery }: { readonly delivery: Delivery }) => {
  const { attempts, next_attempt_at, state, state_reason } = delivery
  if (state === "delivered") return <Status tone="good" word="Delivered" />
  if (state === "pending") {
    if (attempts.length === 0 || hasArrived(delivery)) return <Status tone="busy" word="Pending" />
    if (next_attempt_at === null) return <Status tone="warn" word="Failing" />
    const word = (
      <span>
        Failing, tried again <Time at={next_attempt_at} due />
      </span>
    )
    return <Status tone="warn" word={word} />
  }
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
