/** Histories that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { type EventRecord, timeOfId } from "@agent-platform/kernel"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { type Delivery, DeliveryHistory, monthOf } from "@agent-platform/webhooks"
import { layer as stores } from "@agent-platform/webhooks/memory"
import { deliveryHistoryContract } from "@agent-platform/webhooks/testing"
import { DateTime, Effect, Layer } from "effect"
import { faultsOf } from "../../kernel/test/faultsOf.ts"

const memory = Layer.mergeAll(stores, Tenants.layerUnfounded).pipe(Layer.provideMerge(kernel))

const historyFault = faultsOf(DeliveryHistory, memory, deliveryHistoryContract)

const FORGETS = ["that are prepared", "that are not prepared"].map(
  (which) => `forgets the months before a time, and nothing later, of months ${which}`
)
const KEEPS_PENDING = ["that are prepared", "that are not prepared"].map(
  (which) => `forgets no pending delivery, nor its attempts and its bytes, of months ${which}`
)
const PREPARES = "prepares months in which something happened already, and loses nothing by it"

historyFault("a history that forgets nothing", () => ({ forget: () => Effect.succeed({ forgotten: [], kept: [] }) }), [
  ...FORGETS,
  ...KEEPS_PENDING,
  PREPARES
])

historyFault(
  "a history that forgets the month that is not over",
  (history) => ({ forget: (before) => history.forget(DateTime.add(before, { months: 1 })) }),
  FORGETS
)

historyFault(
  "a history that forgets what is pending",
  (history, database) => {
    const rows = database.table<{ readonly delivery: Delivery }>("webhook_delivery")
    return {
      forget: (before) =>
        Effect.gen(function* () {
          const old = (yield* rows.all).filter(({ delivery }) => monthOf(timeOfId(delivery.eventId)) < monthOf(before))
          for (const { delivery } of old) yield* rows.remove(`${delivery.endpointId}/${delivery.eventId}`)
          return yield* history.forget(before)
        })
    }
  },
  KEEPS_PENDING
)

historyFault(
  "a history that forgets the bytes of what is pending",
  (history, database) => {
    const events = database.table<EventRecord>("event")
    return {
      forget: (before) =>
        Effect.gen(function* () {
          const old = (yield* events.all).filter(({ id }) => monthOf(timeOfId(id)) < monthOf(before))
          for (const { id } of old) yield* events.remove(id)
          return yield* history.forget(before)
        })
    }
  },
  KEEPS_PENDING
)
