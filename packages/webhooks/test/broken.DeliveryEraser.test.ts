/** Erasers that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { layer as kernel, type OutboxRow } from "@agent-platform/kernel/memory"
import { DeliveryEraser } from "@agent-platform/webhooks"
import { layer as stores } from "@agent-platform/webhooks/memory"
import { deliveryEraserContract } from "@agent-platform/webhooks/testing"
import { Effect, Layer } from "effect"
import { faultsOf } from "../../kernel/test/faultsOf.ts"

const memory = Layer.provideMerge(stores, kernel)

const fault = faultsOf(DeliveryEraser, memory, deliveryEraserContract)

const OF_RUNS = "erases the events of a run, which are not dispatched any more, and no others"
const TAKEN = "leaves an event that somebody is dispatching until it is done with"
const OF_WORKSPACES = "erases the events of a workspace portion by portion, and leaves those of another"

fault("an eraser that counts nothing", () => ({ count: () => Effect.succeed({ events: 0 }) }), [OF_RUNS])

fault(
  "an eraser that forgets the events of single runs",
  (eraser) => ({
    erase: (what, max) => eraser.erase(what._tag === "Resources" ? { ...what, ids: [] } : what, max)
  }),
  [OF_RUNS, TAKEN]
)

fault(
  "an eraser that takes an event away from who is dispatching it",
  (eraser, database) => ({
    erase: (what, max) =>
      Effect.gen(function* () {
        const outbox = database.table<OutboxRow>("outbox")
        for (const { takenUntil: _, ...row } of yield* outbox.all) yield* outbox.put(row.id, row as OutboxRow)
        return yield* eraser.erase(what, max)
      })
  }),
  [TAKEN]
)

fault("an eraser without portions", (eraser) => ({ erase: (what) => eraser.erase(what, 1_000) }), [OF_WORKSPACES])

fault(
  "an eraser that takes the events of the organization with a workspace's",
  (eraser) => ({
    erase: (what, max) => eraser.erase(what._tag === "Tenant" ? { ...what, workspaceId: null } : what, max)
  }),
  [OF_WORKSPACES]
)
