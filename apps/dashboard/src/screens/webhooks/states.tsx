/** How the states of endpoints, deliveries and replays are said and drawn. */
import type { Delivery, Endpoint, Replay } from "@agent-platform/client"
import { isBeingSent } from "../../api/webhooks.ts"
import { Status } from "../../ui/Status.tsx"
import { Time } from "../../ui/Time.tsx"
import { hasArrived } from "./healthOf.ts"

/** An endpoint's state; of one that is disabled, why. */
export const EndpointState = ({ endpoint: { disabled_reason, status } }: { readonly endpoint: Endpoint }) => {
  if (status === "active") return <Status tone="good" word="Active" />
  if (status === "deleted") return <Status tone="idle" word="Deleted" />
  if (disabled_reason === "disabled_by_request") return <Status tone="idle" word="Disabled by hand" />
  if (disabled_reason !== "failing") return <Status tone="idle" word="Disabled" />
  return (
    <span title="Nothing has arrived for 120 hours">
      <Status tone="bad" word="Disabled: failing" />
    </span>
  )
}

/** The effect of *Send again*, in the words of the interface. */
export const REPLAYS_IT = "Replays the delivery: the same event with the same id, at once"

/** Why a delivery is dead: nothing sends it any more unless somebody does. */
const DEATHS: Readonly<Record<NonNullable<Delivery["state_reason"]>, string>> = {
  retries_exhausted: "Dead: no retry left",
  endpoint_disabled: "Dead: endpoint disabled",
  endpoint_deleted: "Dead: endpoint deleted"
}

/** The states that deliveries are filtered by, in the words of the rows. */
export const STATES = [
  { value: "pending", label: "Pending or failing" },
  { value: "delivered", label: "Delivered" },
  { value: "dead", label: "Dead" }
] as const

/** A delivery's state; of one that fails, when it is tried again; of a dead one, why. */
export const DeliveryState = ({ delivery }: { readonly delivery: Delivery }) => {
  const { attempts, next_attempt_at, state, state_reason } = delivery
  if (state === "delivered") return <Status tone="good" word="Delivered" />
  if (state === "pending") {
    const last = attempts.at(-1)
    // One that is sent again by hand has arrived before.
    if (last === undefined || hasArrived(last)) return <Status tone="busy" word="Pending" />
    if (next_attempt_at === null) return <Status tone="warn" word="Failing" />
    if (isBeingSent(delivery, Date.now())) return <Status tone="busy" word="Failing, being sent again" />
    const word = (
      <span>
        Failing, next try <Time at={next_attempt_at} due />
      </span>
    )
    return <Status tone="warn" word={word} />
  }
  return (
    <span title="It is not sent by itself any more. Send it again by hand, or a range of them">
      <Status tone="bad" word={state_reason === null ? "Dead" : DEATHS[state_reason]} />
    </span>
  )
}

/** The kind of a delivery's event, and whether that is a sample which somebody has sent to try the endpoint. */
export const EventKind = ({ isTest, type }: { readonly isTest: boolean; readonly type: string }) => (
  <>
    {type}
    {isTest && <span className="ml-2 rounded-sm bg-tint px-1.5 text-sm">Test</span>}
  </>
)

const REPLAYS = {
  pending: <Status tone="idle" word="Waiting" />,
  running: <Status tone="busy" word="Running" />,
  completed: <Status tone="good" word="Completed" />,
  stopped: <Status tone="bad" word="Stopped" />
}

/** A replay's state. */
export const ReplayState = ({ replay: { state } }: { readonly replay: Replay }) => REPLAYS[state]
