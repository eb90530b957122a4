import { Context, type Effect } from "effect"
import type { UsageWatermark } from "../RollUp.ts"
import type { UsageCell } from "../UsageCells.ts"

/** The bounds of a portion: the next rows that are read and added up together. */
export interface PortionRequest {
  /** Goes on after this place, the `next` of the portion before; undefined begins with the first row. */
  readonly after: string | undefined
  /** Reads only rows with a lower mark. */
  readonly before: bigint
  /** Most rows that are read. */
  readonly limit: number
}

/** A portion of rows, added up. */
export interface Portion<Cell> {
  readonly cells: ReadonlyArray<Cell>
  /** The place after the last row that was read; `after` as it was given when there was none. */
  readonly next: string | undefined
  /** All rows below this mark were read by now: the mark of the last row, or `before` where no row is left. */
  readonly reached: bigint
}

/**
 * Reads the ledger portion by portion, for sums of it. Rows have marks, which rise in the order in which their transactions began to
 * write, not in that in which they committed: below `closed` of the watermark no row is added any more. Each row comes in exactly
 * one portion. Tested by `rollUpContract`.
 */
export class UsageFeed extends Context.Service<
  UsageFeed,
  {
    /** How far the marks go, those of ended runs included. */
    readonly watermark: Effect.Effect<UsageWatermark>
    /** The next calls, added up in cells. */
    readonly calls: (request: PortionRequest) => Effect.Effect<Portion<UsageCell>>
    /**
     * The next corrections in the same way: `costUsd` is their difference, `unpricedRequests` is below zero where they price calls
     * that had no price; everything else is zero.
     */
    readonly corrections: (request: PortionRequest) => Effect.Effect<Portion<UsageCell>>
  }
>()("@agent-platform/billing/UsageFeed") {}
