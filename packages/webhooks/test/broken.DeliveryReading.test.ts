/** Stores that are broken on purpose in what is read of deliveries and their endpoints, one fault each. */
import type { EventRecord } from "@agent-platform/kernel"
import { Effect } from "effect"
import { deliveryFault } from "./deliveryFault.ts"

deliveryFault("a store that forgets how endpoints stand", () => ({ saveHealth: () => Effect.void }), [
  "keeps what is found out about an endpoint, and shows it to the workers that send there"
])

deliveryFault(
  "a store that answers the endpoints of everybody",
  (store, database) => {
    const events = database.table<EventRecord>("event")
    return { recipients: () => Effect.flatMap(events.all, (all) => store.recipients(all.map((event) => event.id))) }
  },
  [
    "answers the endpoints that are not deleted of the organizations that events concern",
    "keeps what is found out about an endpoint, and shows it to the workers that send there"
  ]
)

deliveryFault(
  "a store that knows of every delivery that it has it",
  () => ({ existing: (keys) => Effect.succeed(keys) }),
  ["answers which deliveries are there"]
)

deliveryFault(
  "a store that lists the oldest deliveries first",
  (store) => ({
    recent: (endpointId) => Effect.map(store.recent(endpointId, 1000), (all) => [...all].reverse().slice(0, 50))
  }),
  [
    "lists the most recent deliveries by their events, newest first",
    "lists every delivery with all of its own attempts, first to last",
    // Its beginning, for which the suite ends what was left pending, needs the list.
    "says that something is due, or how long it takes until something is"
  ]
)

deliveryFault(
  "a store that says the time of no claim",
  (store) => ({ millisUntilDue: Effect.as(store.millisUntilDue, undefined) }),
  [
    "says that something is due, or how long it takes until something is",
    "says how long it takes until the claim on a pending delivery runs out"
  ]
)
