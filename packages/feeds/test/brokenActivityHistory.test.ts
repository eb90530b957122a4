/** Histories of activity that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { ActivityHistory, ActivityWatermark } from "@agent-platform/feeds"
import { layer as stores } from "@agent-platform/feeds/memory"
import { activityHistoryContract } from "@agent-platform/feeds/testing"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants, TransactionsOverlap } from "@agent-platform/kernel/testing"
import { Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"
import { endMinute } from "./endMinute.ts"

type History = ActivityHistory["Service"]

const memory = Layer.provideMerge(Layer.merge(stores, Layer.succeed(TransactionsOverlap, false)), kernel)

const historyFault = (
  fault: string,
  broken: (history: History) => Partial<History>,
  caughtBy: ReadonlyArray<string>
) => {
  const layer = Layer.effect(
    ActivityHistory,
    Effect.map(ActivityHistory, (history) => ({ ...history, ...broken(history) }))
  ).pipe(Layer.provideMerge(memory), Layer.merge(Tenants.layerUnfounded))
  bite(fault, () => activityHistoryContract("a broken history", layer, endMinute), caughtBy)
}

const HELD = "holds back a tally and all that follows until its minute is over, and then gives it as it stays"

historyFault(
  "a history that shows tallies before their minute is over",
  (history) => ({
    watermark: Effect.map(history.watermark, (mark) =>
      ActivityWatermark.make(mark.replace(/^\S+/, "2999-01-01T00:00:00Z"))
    )
  }),
  [HELD]
)

historyFault(
  "a history that stops at the first part",
  (history) => ({ read: (range) => Effect.map(history.read(range), (part) => ({ ...part, more: false })) }),
  ["goes on part by part without a loss or a repetition, always in the same order"]
)

historyFault(
  "a history that has no end",
  (history) => {
    const unbounded = ActivityWatermark.make("0001-01-01T00:00:00Z ffffffff-ffff-ffff-ffff-ffffffffffff")
    return { read: (range) => history.read({ ...range, before: unbounded }) }
  },
  ["gives nothing of what is recorded after the watermark was taken"]
)

historyFault("a history that knows every place", () => ({ hasReached: () => Effect.succeed(true) }), [
  "has reached the places of the organization that it gave, and no others"
])
