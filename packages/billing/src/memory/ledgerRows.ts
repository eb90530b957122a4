import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import type { LedgerEntry } from "../LedgerEntry.ts"
import { ZERO_USD } from "../Money.ts"
import type { UsageSums } from "../UsageCells.ts"
import type { UsageCorrection } from "../UsageCorrection.ts"

/** The ledger of a `MemoryDatabase`: its calls in the order in which they were settled, and their corrections. */
export const ledgerRows = Effect.map(MemoryDatabase, (database) => {
  const calls = database.table<LedgerEntry>("model_call")
  const corrections = database.table<UsageCorrection>("usage_correction")

  /** The calls of a workspace, each with the price that holds. */
  const pricedCalls = Effect.fnUntraced(function* (workspaceId: string) {
    const ofWorkspace = (yield* corrections.all).filter((one) => one.workspaceId === workspaceId)
    const last = new Map(ofWorkspace.map(({ callId, costUsd, priceVersion }) => [callId, { costUsd, priceVersion }]))
    return (yield* calls.all)
      .filter((call) => call.workspaceId === workspaceId)
      .map((call): LedgerEntry => ({ ...call, ...last.get(call.id) }))
  })

  return { calls, corrections, pricedCalls }
})

/** The sums of one call. */
export const sumsOf = (call: LedgerEntry): UsageSums => ({
  ...call,
  requests: 1,
  unpricedRequests: call.costUsd === null ? 1 : 0,
  costUsd: call.costUsd ?? ZERO_USD
})
