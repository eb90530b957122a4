import type { MemoryDatabase } from "@agent-platform/kernel/memory"
import { addDistributions, bucketOf } from "@agent-platform/toolkit"
import { DateTime, Effect, Layer } from "effect"
import { joinByKey } from "../joinByKey.ts"
import type { LedgerEntry } from "../LedgerEntry.ts"
import { type Portion, type PortionRequest, UsageFeed } from "../ports/UsageFeed.ts"
import { addSums, NO_SUMS, type UsageCell, type UsageSums } from "../UsageCells.ts"
import type { UsageCorrection } from "../UsageCorrection.ts"
import { ledgerRows, sumsOf } from "./ledgerRows.ts"

const QUARTER_MILLIS = 15 * 60_000

/** A mark above all others: everything in memory is committed, so that no row can be added below it. */
const BEYOND = 2n ** 62n

/** When the quarter of an hour begins that a time lies in. */
const quarterOf = (at: DateTime.Utc): DateTime.Utc => {
  const millis = DateTime.toEpochMillis(at)
  return DateTime.makeUnsafe(millis - (millis % QUARTER_MILLIS))
}

/** The next rows of a table that only grows, added up; a place is the number of rows before it. */
const portionOf = <Row extends LedgerEntry | UsageCorrection>(
  rows: ReadonlyArray<Row>,
  { after, before, limit }: PortionRequest,
  toSums: (row: Row) => UsageSums
): Portion<UsageCell> => {
  const from = Number(after ?? "0")
  const portion = rows.slice(from, from + limit)
  const next = from + portion.length
  return {
    cells: addUp(portion.map((row) => cellOf(row, toSums(row)))),
    next: portion.length === 0 ? after : String(next),
    reached: next < rows.length ? BigInt(next) : before
  }
}

const cellOf = (row: LedgerEntry | UsageCorrection, sums: UsageSums): UsageCell => ({
  ...addSums(NO_SUMS, sums),
  organizationId: row.organizationId,
  workspaceId: row.workspaceId,
  at: quarterOf(row.calledAt),
  agentId: row.agentId,
  provider: row.provider,
  model: row.requestModel,
  keySource: row.keySource,
  firstToken:
    "timeToFirstTokenMillis" in row && row.timeToFirstTokenMillis !== null
      ? { [bucketOf(row.timeToFirstTokenMillis)]: 1 }
      : {}
})

const addUp = (cells: ReadonlyArray<UsageCell>): ReadonlyArray<UsageCell> =>
  joinByKey(
    cells,
    (cell) =>
      [cell.workspaceId, DateTime.toEpochMillis(cell.at), cell.agentId, cell.provider, cell.model, cell.keySource].join(
        "\n"
      ),
    (made: UsageCell | undefined, cell) => ({
      ...cell,
      ...addSums(made ?? NO_SUMS, cell),
      firstToken: addDistributions(made?.firstToken ?? {}, cell.firstToken)
    })
  )

/** The ledger of a `MemoryDatabase`, in the order in which it was written. */
export const layerUsageFeed: Layer.Layer<UsageFeed, never, MemoryDatabase> = Layer.effect(
  UsageFeed,
  Effect.map(ledgerRows, ({ calls, corrections }) =>
    UsageFeed.of({
      watermark: Effect.map(DateTime.now, (at) => ({ closed: BEYOND, open: BEYOND, at })),
      calls: (request) => Effect.map(calls.all, (all) => portionOf(all, request, sumsOf)),
      corrections: (request) =>
        Effect.map(corrections.all, (all) =>
          portionOf(all, request, ({ deltaUsd, wasUnpriced }) => ({
            ...NO_SUMS,
            unpricedRequests: wasUnpriced ? -1 : 0,
            costUsd: deltaUsd
          }))
        )
    })
  )
)
