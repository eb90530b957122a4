/** Stores that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { DateTime, Effect } from "effect"
import { deliveryFault } from "./deliveryFault.ts"

deliveryFault(
  "a store that goes on with the deliveries of a deleted endpoint",
  () => ({ markDead: () => Effect.succeed(0) }),
  [
    "makes what is pending at one endpoint dead, and nothing else",
    "leaves dead what was in flight when it was made dead, whatever the attempt comes to",
    "leaves nothing pending at an endpoint that is deleted while deliveries to it are being made",
    "keeps the record of an attempt in flight when its delivery is made dead"
  ]
)

deliveryFault(
  "a store that always gives the same reason",
  (store) => ({ markDead: (endpointId) => store.markDead(endpointId, "endpoint_deleted") }),
  ["leaves dead what was in flight when it was made dead, whatever the attempt comes to"]
)

deliveryFault(
  "a store that replays what was delivered, too",
  (store) => ({ replayPortion: (portion) => store.replayPortion({ ...portion, deadOnly: false }) }),
  [
    "replays the dead deliveries of one endpoint portion by portion, in the order of their events",
    "gives each dead delivery to one of four who replay the same portion at once"
  ]
)

deliveryFault(
  "a store that begins a portion with the event before it",
  (store) => ({ replayPortion: (portion) => store.replayPortion({ ...portion, after: portion.after.slice(0, -1) }) }),
  ["replays what lies between two events and neither of the two"]
)

deliveryFault(
  "a store that replays more than is asked for",
  (store) => ({ replayPortion: (portion) => store.replayPortion({ ...portion, limit: 100 }) }),
  ["replays the dead deliveries of one endpoint portion by portion, in the order of their events"]
)

deliveryFault(
  "a store that counts what is claimed as waiting",
  (store) => ({
    countDue: (endpointId, { max, now }) =>
      Effect.map(store.list(endpointId, {}, { limit: 1000, before: undefined }), ({ items }) => {
        const due = items.filter(
          ({ delivery: { nextAttemptAt } }) =>
            nextAttemptAt !== null && DateTime.isLessThanOrEqualTo(nextAttemptAt, now)
        )
        return Math.min(max, due.length)
      })
  }),
  ["counts what is due at one endpoint and claimed by nobody, as far as it is asked to"]
)
