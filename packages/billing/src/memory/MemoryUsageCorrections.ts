import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect, Layer } from "effect"
import { isWithin } from "../BillingMonth.ts"
import { UsageCorrections } from "../ports/UsageCorrections.ts"
import type { UsageCorrection } from "../UsageCorrection.ts"
import { ledgerRows } from "./ledgerRows.ts"

/** Corrections over a `MemoryDatabase`. */
export const layerUsageCorrections: Layer.Layer<UsageCorrections, never, MemoryDatabase> = Layer.effect(
  UsageCorrections,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const corrections = database.table<UsageCorrection>("usage_correction")
    const ledger = yield* ledgerRows
    return UsageCorrections.of({
      hold: () => Effect.void,
      calls: (workspaceId, { model, provider, span }, { after, limit }) =>
        Effect.gen(function* () {
          const corrected = new Map((yield* corrections.all).map((one) => [`${one.workspaceId} ${one.callId}`, one]))
          return (yield* ledger.all)
            .filter((call) => call.workspaceId === workspaceId && call.provider === provider)
            .filter((call) => call.requestModel === model && isWithin(span, call.calledAt))
            .filter(({ id }) => after === undefined || id > after)
            .sort((one, other) => (one.id < other.id ? -1 : 1))
            .slice(0, limit)
            .map((call) => {
              const last = corrected.get(`${workspaceId} ${call.id}`)
              return last === undefined ? call : { ...call, costUsd: last.costUsd, priceVersion: last.priceVersion }
            })
        }),
      insert: (added) =>
        Effect.forEach(added, (one) => corrections.put(`${one.workspaceId} ${one.id}`, one), { discard: true })
    })
  })
)
