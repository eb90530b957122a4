/** Stores that are broken on purpose in what is read of deliveries and their endpoints, one fault each. */
import { Effect } from "effect"
import { deliveryFault } from "./deliveryFault.ts"

deliveryFault("a store that forgets how endpoints stand", () => ({ saveHealth: () => Effect.void }), [
  "keeps what is found out about an endpoint, and shows it to the workers that send there"
])

deliveryFault(
  "a store that knows of every delivery that it has it",
  () => ({ existing: (keys) => Effect.succeed(keys) }),
  ["answers which deliveries are there"]
)

deliveryFault(
  "a store that lists the oldest deliveries first",
  (store) => ({
    list: (endpointId, filter, { limit }) =>
      Effect.map(store.list(endpointId, filter, { limit: 1000, before: undefined }), ({ items }) => ({
        items: items.toReversed().slice(0, limit),
        next: undefined
      }))
  }),
  [
    "lists the most recent deliveries by their events, newest first",
    "lists deliveries by state, kind and time, page by page",
    "lists every delivery with all of its own attempts, first to last"
  ]
)

deliveryFault(
  "a store that lists deliveries of every kind",
  (store) => ({
    list: (endpointId, { eventType: _, ...filter }, page) => store.list(endpointId, filter, page)
  }),
  ["lists deliveries by state, kind and time, page by page"]
)

deliveryFault(
  "a store that says the time of no claim",
  (store) => ({ millisUntilDue: Effect.as(store.millisUntilDue, undefined) }),
  [
    "says that something is due, or how long it takes until something is",
    "says how long it takes until the claim on a pending delivery runs out"
  ]
)
