/** Stores that are broken on purpose, one fault each: the model finds each of them with this seed. */
import { deliveryProtocolContract } from "@agent-platform/webhooks/testing"
import { Effect } from "effect"
import { bite } from "../../kernel/test/bite.ts"
import { brokenDeliveries } from "./deliveryFault.ts"

const SEED = 7

const protocolFault = (fault: string, broken: Parameters<typeof brokenDeliveries>[0]) => {
  const suite = () => deliveryProtocolContract("a broken store", brokenDeliveries(broken), SEED)
  bite(fault, suite, ["is that of the model"])
}

protocolFault("a store that claims one delivery more than it is asked to", (store) => ({
  claimDue: (limits) => store.claimDue({ ...limits, max: limits.max + 1 })
}))

protocolFault("a store that answers that every claim held", (store) => ({
  settle: (settled) => Effect.as(store.settle(settled), new Set(settled.map((one) => one.claimToken)))
}))

protocolFault("a store that lets every claim lapse at once", (store) => ({
  claimDue: (limits) => store.claimDue({ ...limits, leaseSeconds: 0 })
}))

protocolFault("a store that replays nothing", (store) => ({
  update: (endpointId, eventId) => store.update(endpointId, eventId, (delivery) => delivery)
}))
