import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { DateTime, Effect, Layer } from "effect"
import { joinByKey } from "../joinByKey.ts"
import { type Portion, type PortionRequest, UsageFeed } from "../ports/UsageFeed.ts"
import { addSums, NO_SUMS, type UsageCell } from "../UsageCells.ts"
import type { UsageCorrection } from "../UsageCorrection.ts"
import { ledgerRows } from "./ledgerRows.ts"

const QUARTER_MILLIS = 15 * 60_000

/** Beyond every mark: everything in memory is committed, and nothing can come before it. */
const BEYOND = 2n ** 62n

/** When the quarter of an hour begins that a time lies in. */
export const quarterOf = (at: DateTime.Utc): DateTime.Utc => {
  const millis = DateTime.toEpochMillis(at)
  return DateTime.makeUnsafe(millis - (millis % QUARTER_MILLIS))
}

/** The next rows of a table that only grows; places are how many rows lie before them. */
export const portionOf = <Row, Cell>(
  rows: ReadonlyArray<Row>,
  { after, before, limit }: PortionRequest,
  addUp: (rows: ReadonlyArray<Row>) => ReadonlyArray<Cell>
): Portion<Cell> => {
  const from = Number(after ?? "0")
  const portion = rows.slice(from, from + limit)
  const next = from + portion.length
  return {
    cells: addUp(portion),
    next: portion.length === 0 ? after : String(next),
    reached: next < rows.length ? BigInt(next) : before
  }
}

const addUp = (cells: ReadonlyArray<UsageCell>): ReadonlyArray<UsageCell> =>
  joinByKey(
    cells,
    (cell) =>
      [cell.workspaceId, DateTime.toEpochMillis(cell.at), cell.agentId, cell.provider, cell.model, cell.keySource].join(
        "\n"
      ),
    (made: UsageCell | undefined, cell) => ({ ...cell, ...addSums(made ?? NO_SUMS, cell) })
  )

/** The ledger of a `MemoryDatabase`, read on in the order in which it was written. */
export const layerUsageFeed: Layer.Layer<UsageFeed, never, MemoryDatabase> = Layer.effect(
  UsageFeed,
  Effect.gen(function* () {
    const ledger = yield* ledgerRows
    const database = yield* MemoryDatabase
    const corrections = database.table<UsageCorrection>("usage_correction")
    return UsageFeed.of({
      watermark: Effect.map(DateTime.now, (at) => ({ closed: BEYOND, open: BEYOND, at })),
      calls: (request) =>
        Effect.map(ledger.all, (all) =>
          portionOf(all, request, (rows) =>
            addUp(
              rows.map((row) => ({
                organizationId: row.organizationId,
                workspaceId: row.workspaceId,
                at: quarterOf(row.calledAt),
                agentId: row.agentId,
                provider: row.provider,
                model: row.requestModel,
                keySource: row.keySource,
                requests: 1,
                unpricedRequests: row.costUsd === null ? 1 : 0,
                inputTokens: row.inputTokens,
                cacheReadTokens: row.cacheReadTokens,
                cacheWriteTokens: row.cacheWriteTokens,
                outputTokens: row.outputTokens,
                reasoningTokens: row.reasoningTokens,
                costUsd: row.costUsd ?? NO_SUMS.costUsd
              }))
            )
          )
        ),
      corrections: (request) =>
        Effect.map(corrections.all, (all) =>
          portionOf(all, request, (rows) =>
            addUp(
              rows.map((row) => ({
                ...NO_SUMS,
                organizationId: row.organizationId,
                workspaceId: row.workspaceId,
                at: quarterOf(row.calledAt),
                agentId: row.agentId,
                provider: row.provider,
                model: row.requestModel,
                keySource: row.keySource,
                unpricedRequests: row.wasUnpriced ? -1 : 0,
                costUsd: row.deltaUsd
              }))
            )
          )
        )
    })
  })
)
