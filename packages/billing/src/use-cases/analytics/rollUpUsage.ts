import { atomic } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { BigInt, DateTime, Effect } from "effect"
import { type BillingMonth, isWithin, type Span } from "../../BillingMonth.ts"
import { type KeptMonth, RollUpStore } from "../../ports/RollUpStore.ts"
import { RunSummaries } from "../../ports/RunSummaries.ts"
import { UsageFeed } from "../../ports/UsageFeed.ts"
import { WorkspaceCalendars } from "../../ports/WorkspaceCalendars.ts"
import { progressOf, rollUp } from "../../RollUp.ts"
import type { OutcomeCell, UsageCell } from "../../UsageCells.ts"
import { monthAt } from "./monthsOver.ts"

/** Most rows of the ledger, and most ended runs, that one batch takes in. */
export const BATCH_ROWS = 20_000

/** The result of a batch. */
export type RolledUp =
  /** Another process rolls up, or has just done so. */
  | { readonly _tag: "Busy" }
  /** `hasMore`: the batch was full, so the next is due at once. */
  | { readonly _tag: "RolledUp"; readonly hasMore: boolean }

type Cell = UsageCell | OutcomeCell

const spanOf = (cells: ReadonlyArray<Cell>): Span | undefined => {
  const [first, ...others] = cells.map(({ at }) => at)
  if (first === undefined) return undefined
  const start = others.reduce((one, other) => DateTime.min(one, other), first)
  const end = others.reduce((one, other) => DateTime.max(one, other), first)
  return { start, end: DateTime.add(end, { milliseconds: 1 }) }
}

/** Days before the end of a kept month in which its end may have moved: the zone of the next month decides it. */
const UNSURE_DAYS = 2

/** Whether a time lies in a kept month wherever that ends by now. */
const isWellWithin = ({ end, start }: BillingMonth, at: DateTime.Utc): boolean =>
  isWithin({ start, end: DateTime.subtract(end, { days: UNSURE_DAYS }) }, at)

/** The months of a workspace's cells. New ones are stored, so that a month keeps the zone that it has now. */
const monthsOfWorkspace = Effect.fnUntraced(function* (cells: ReadonlyArray<Cell>, known: ReadonlyArray<BillingMonth>) {
  const found = cells.map((cell) => [cell, known.find((month) => isWellWithin(month, cell.at))] as const)
  const [missing] = found.flatMap(([cell, month]) => (month === undefined ? [cell] : []))
  if (missing === undefined) return new Map(found as ReadonlyArray<readonly [Cell, BillingMonth]>)
  const { organizationId, workspaceId } = missing
  const store = yield* RollUpStore
  const workspace = yield* WorkspaceCalendars.use((calendars) => calendars.read(organizationId, workspaceId))
  // An erased workspace keeps its row while anything is counted under it: `LedgerEraser.isCounted`.
  if (workspace === undefined) return yield* Effect.die(new Error("Usage belongs to no workspace"))
  const kept: Array<BillingMonth> = [...(yield* store.months([workspaceId]))]
  const fresh: Array<KeptMonth> = []
  const months = cells.map((cell): readonly [Cell, BillingMonth] => {
    const month = monthAt(kept, workspace.calendar, cell.at)
    if (!kept.some((one) => one.month === month.month)) {
      kept.push(month)
      fresh.push({ ...month, organizationId, workspaceId })
    }
    return [cell, month]
  })
  yield* store.keepMonths(fresh)
  return new Map(months)
})

/** The months of all cells. */
const monthsOf = Effect.fnUntraced(function* (cells: ReadonlyArray<Cell>) {
  const store = yield* RollUpStore
  const ofWorkspace = Map.groupBy(cells, ({ workspaceId }) => workspaceId)
  const known = Map.groupBy(
    yield* store.months([...ofWorkspace.keys()], spanOf(cells)),
    ({ workspaceId }) => workspaceId
  )
  const months = yield* Effect.forEach(ofWorkspace, ([workspaceId, own]) =>
    monthsOfWorkspace(own, known.get(workspaceId) ?? [])
  )
  return new Map(months.flatMap((own) => [...own]))
})

/**
 * Adds the next calls, corrections and ended runs to the roll-ups, in one transaction with the places that were reached. So
 * an interrupted batch is done again, and a finished one is not. Any number may call it at once; one of them works.
 */
export const rollUpUsage = useCase("billing.rollUpUsage")(function* (
  options: {
    readonly batchRows?: number | undefined
    /** Nothing is done for so long after a batch of anybody's; 0 unless given. */
    readonly quietSeconds?: number | undefined
  } = {}
) {
  const feed = yield* UsageFeed
  const runs = yield* RunSummaries
  const store = yield* RollUpStore
  const limit = options.batchRows ?? BATCH_ROWS
  // Read before the transaction, whose own number would hold the watermark back.
  const watermark = yield* feed.watermark
  return yield* atomic(
    Effect.gen(function* () {
      const state = yield* store.hold({ quietSeconds: options.quietSeconds ?? 0 })
      if (state === undefined) return { _tag: "Busy" } as const
      const before = watermark.closed
      const calls = yield* feed.calls({ after: state.calls, before, limit })
      const corrections = yield* feed.corrections({ after: state.corrections, before, limit })
      const ended = yield* runs.countEnded({ after: state.runs, before, limit })
      const usage = [...calls.cells, ...corrections.cells]
      if (usage.length + ended.cells.length > 0) {
        const months = yield* monthsOf([...usage, ...ended.cells])
        // Calls of a day that was shown as final by then are adjustments of it.
        yield* store.add(rollUp(usage, ended.cells, (cell) => months.get(cell) as BillingMonth, state.asOf))
      }
      // The roll-ups are complete up to the feed that is furthest behind.
      const reached = BigInt.min(calls.reached, BigInt.min(corrections.reached, ended.reached))
      yield* store.save({
        calls: calls.next,
        corrections: corrections.next,
        runs: ended.next,
        ...progressOf(state, watermark, reached)
      })
      return { _tag: "RolledUp", hasMore: reached < before } as const
    })
  )
})
