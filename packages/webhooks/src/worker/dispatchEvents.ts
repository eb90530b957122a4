import { EVENTS_ADDED, Outbox, restAmongPeers, Signals } from "@agent-platform/kernel"
import { persistently, untilDone } from "@agent-platform/toolkit"
import { Effect, Exit } from "effect"
import { EventDispatch } from "../ports/EventDispatch.ts"
import { fanOutEvents } from "../use-cases/fanOutEvents.ts"
import type { DeliveryWorkerOptions } from "./DeliveryWorker.ts"
import type { Sender } from "./Sender.ts"

/** Most events taken at once. */
const EVENTS_MAX = 256

/** Begins to listen, and returns the loop that takes events while the sender has demand, and hands it their deliveries. */
export const dispatchEvents = (
  { pollSeconds }: Pick<DeliveryWorkerOptions, "pollSeconds">,
  sender: Pick<Sender, "demand" | "dispatch">
) =>
  Effect.gen(function* () {
    const outbox = yield* Outbox
    const eventDispatch = yield* EventDispatch
    const signals = yield* Signals
    const nextSignal = yield* signals.listen(EVENTS_ADDED)
    const rest = yield* restAmongPeers("handing events out")
    // How many deliveries an event of the last batch had: the next batch is sized by it, to fit the sender's demand.
    let deliveriesPerEvent = 1
    // The fan-out is retried with the events that are taken; `persistently` would release them and take others.
    const dispatch = (max: number) =>
      Effect.acquireUseRelease(
        eventDispatch.take(max),
        (taken) => {
          const count = taken.events.length
          if (count === 0) return Effect.succeed(0)
          return Effect.map(untilDone("Handing events out", fanOutEvents(taken)), (handedOut) => {
            const made = handedOut.reduce((sum, { sendable }) => sum + sendable.length, 0)
            deliveriesPerEvent = Math.max(1, made / count)
            handedOut.forEach(sender.dispatch)
            return count
          })
        },
        ({ events }, exit) =>
          events.length === 0 || Exit.isSuccess(exit) ? Effect.void : outbox.release(events.map(({ taken }) => taken))
      )
    return persistently(
      "Handing events out",
      Effect.gen(function* () {
        // Waits until there is demand. One event is taken even if it may have more deliveries than that.
        const deliveriesMax = yield* sender.demand
        const max = Math.max(1, Math.min(EVENTS_MAX, Math.floor(deliveriesMax / deliveriesPerEvent)))
        const [took, taken] = yield* Effect.timed(dispatch(max))
        if (taken === max) return
        yield* rest(took)
        // The signal of events that were added meanwhile is not lost by waiting only now.
        yield* nextSignal(pollSeconds)
      })
    )
  })
