/** Erasers that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { LedgerEraser } from "@agent-platform/billing"
import { layer as stores } from "@agent-platform/billing/memory"
import { BilledRuns, ledgerEraserContract } from "@agent-platform/billing/testing"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { Effect, Layer } from "effect"
import { faultsOf } from "../../kernel/test/faultsOf.ts"

const memory = Layer.mergeAll(Layer.provideMerge(stores, kernel), Tenants.layerUnfounded, BilledRuns.layerUnfounded)

const fault = faultsOf(LedgerEraser, memory, ledgerEraserContract)

const OF_RUNS = "takes run and session out of calls, also of one that is settled later, and changes no sum"
const IS_COUNTED = "knows of which workspaces anything is counted, or may be"
const OF_WORKSPACES = "takes run and session out of all calls of a workspace, and of no other"

fault(
  "an eraser that leaves calls under way linked to their run",
  (eraser, database) => ({
    erase: (what, max) =>
      Effect.gen(function* () {
        const reservations = database.table<{
          readonly reservation: { readonly id: string; readonly workspaceId: string }
        }>("call_reservation")
        const before = yield* reservations.all
        const portion = yield* eraser.erase(what, max)
        for (const row of before) {
          yield* reservations.put(`${row.reservation.workspaceId}/${row.reservation.id}`, row)
        }
        return portion
      })
  }),
  [OF_RUNS]
)

fault("an eraser to which nothing is counted", () => ({ isCounted: () => Effect.succeed(false) }), [IS_COUNTED])

fault("an eraser to which everything is counted", () => ({ isCounted: () => Effect.succeed(true) }), [IS_COUNTED])

fault(
  "an eraser that leaves a whole workspace as it is",
  (eraser) => ({
    erase: (what, max) =>
      what._tag === "Tenant" ? Effect.succeed({ counts: {}, isOver: true }) : eraser.erase(what, max)
  }),
  [OF_WORKSPACES]
)
