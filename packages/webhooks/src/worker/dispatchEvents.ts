import { EVENTS_ADDED, Outbox, Signals } from "@agent-platform/kernel"
import { persistently, untilDone } from "@agent-platform/toolkit"
import { Effect, Exit } from "effect"
import { fanOutEvents } from "../use-cases/fanOutEvents.ts"
import type { DeliveryWorkerOptions } from "./DeliveryWorker.ts"
import type { Sender } from "./Sender.ts"

/** Most events taken at once. */
const EVENTS_MAX = 256

/** Begins to listen, and answers the loop that takes events while the sender has demand, and hands it their deliveries. */
export const dispatchEvents = (
  { pollSeconds }: Pick<DeliveryWorkerOptions, "pollSeconds">,
  sender: Pick<Sender, "demand" | "dispatch">
) =>
  Effect.gen(function* () {
    const outbox = yield* Outbox
    const signals = yield* Signals
    const next = yield* signals.listen(EVENTS_ADDED)
    // By how many deliveries an event had lately, so that those of the next fit.
    let deliveriesPerEvent = 1
    const dispatch = (max: number) =>
      Effect.acquireUseRelease(
        outbox.take(max),
        (taken) =>
          taken.length === 0
            ? Effect.succeed(taken)
            : Effect.map(untilDone("Handing events out", fanOutEvents(taken)), (handedOut) => {
                const made = handedOut.reduce((sum, { sendable }) => sum + sendable.length, 0)
                deliveriesPerEvent = Math.max(1, made / taken.length)
                handedOut.forEach(sender.dispatch)
                return taken
              }),
        (taken, exit) => (taken.length === 0 || Exit.isSuccess(exit) ? Effect.void : outbox.release(taken))
      )
    return persistently(
      "Handing events out",
      Effect.gen(function* () {
        const demand = yield* sender.demand
        const max = Math.max(1, Math.min(EVENTS_MAX, Math.floor(demand / deliveriesPerEvent)))
        const taken = yield* dispatch(max)
        // Events that were added later have their signal still to come.
        if (taken.length < max) yield* next(pollSeconds)
      })
    )
  })
