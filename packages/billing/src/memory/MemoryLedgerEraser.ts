import { ERASED_ID, type Erased, portionOf, rowsMaxOf } from "@agent-platform/kernel"
import { countWhere, eraseWhere, MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect, Layer } from "effect"
import type { PriceOverride } from "../PriceOverride.ts"
import { LedgerEraser } from "../ports/LedgerEraser.ts"
import { ledgerRows } from "./ledgerRows.ts"
import type { Held } from "./MemoryCallLedger.ts"
import { rollUpRows } from "./rollUpRows.ts"

interface OfRun {
  readonly workspaceId: string
  readonly runId: string
}

const isLinked = (what: Erased, { runId, workspaceId }: OfRun): boolean => {
  switch (what._tag) {
    case "Resources":
      return workspaceId === what.workspaceId && what.ids.includes(runId)
    case "Tenant":
      return workspaceId === what.workspaceId && runId !== ERASED_ID
    case "Person":
      return false
  }
}

const keyOf = ({ id, workspaceId }: { readonly id: string; readonly workspaceId: string }) => `${workspaceId}/${id}`

const unlinked = { runId: ERASED_ID, sessionId: ERASED_ID }

/** The eraser of the ledger over a `MemoryDatabase`. */
export const layerLedgerEraser: Layer.Layer<LedgerEraser, never, MemoryDatabase> = Layer.effect(
  LedgerEraser,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const { calls, corrections } = yield* ledgerRows
    const held = database.table<Held>("call_reservation")
    const prices = database.table<{ readonly override: PriceOverride }>("price_override")
    const spends = database.table("run_spend")
    const { months, outcomes, states } = yield* rollUpRows
    const isErasedPrice =
      (what: Erased) =>
      ({ override }: { readonly override: PriceOverride }) =>
        what._tag === "Tenant" && what.workspaceId !== null && override.scope?.workspaceId === what.workspaceId
    return LedgerEraser.of({
      count: Effect.fnUntraced(function* (what, max) {
        const open = yield* countWhere(held, ({ reservation }) => isLinked(what, reservation), max)
        return {
          model_calls: open + (yield* countWhere(calls, (call) => isLinked(what, call), max)),
          corrections: yield* countWhere(corrections, (one) => isLinked(what, one), max),
          prices: yield* countWhere(prices, isErasedPrice(what), max)
        }
      }),
      erase: Effect.fnUntraced(function* (what, rowsMax) {
        const max = rowsMaxOf(what, rowsMax)
        const isHeld = ({ reservation }: Held) => isLinked(what, reservation)
        const withoutRun = (row: Held): Held => ({ ...row, reservation: { ...row.reservation, ...unlinked } })
        // A database deletes these rows with their runs, to which they refer. All runs come as Resources, those of a workspace before its
        // Tenant does.
        if (what._tag === "Resources") for (const id of what.ids) yield* spends.remove(keyOf({ ...what, id }))
        const reservations = yield* eraseWhere(held, ({ reservation }) => keyOf(reservation), isHeld, max, withoutRun)
        const settled = yield* eraseWhere(
          calls,
          keyOf,
          (call) => isLinked(what, call),
          max,
          (call) => ({ ...call, ...unlinked })
        )
        return portionOf(what, {
          model_calls: reservations + settled,
          corrections: yield* eraseWhere(
            corrections,
            ({ id, workspaceId }) => `${workspaceId} ${id}`,
            (one) => isLinked(what, one),
            max,
            (one) => ({ ...one, runId: ERASED_ID })
          ),
          prices: yield* eraseWhere(prices, ({ override }) => override.id, isErasedPrice(what), max)
        })
      }),
      runsCountedTo: Effect.map(states.all, ([row]) => row?.state.runs),
      isCounted: Effect.fnUntraced(function* (workspaceId) {
        const reserved = (yield* held.all).map(({ reservation }) => reservation)
        const rows = [reserved, yield* calls.all, yield* months.all, yield* outcomes.all]
        return rows.some((table) => table.some((row) => row.workspaceId === workspaceId))
      })
    })
  })
)
