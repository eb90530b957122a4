import { Context, type Effect } from "effect"
import type { UsageWatermark } from "../RollUp.ts"
import type { UsageCell } from "../UsageCells.ts"

/** The bounds of a portion. */
export interface PortionRequest {
  /** Goes on behind this place; undefined begins with the first. */
  readonly after: string | undefined
  /** Only rows with a lower mark. */
  readonly before: bigint
  /** Most rows that are read. */
  readonly limit: number
}

/** A portion of the records, added up. */
export interface Portion<Cell> {
  readonly cells: ReadonlyArray<Cell>
  /** Right behind the last row that was read; as it was asked for when there was none. */
  readonly next: string | undefined
  /** Everything below this mark is behind the portion: the mark of its last row, or the bound of the request. */
  readonly reached: bigint
}

/**
 * Reads the ledger on from where it was, for sums of it. Rows have marks, which rise by when their transactions began to write
 * and not by when they were committed: below `closed` of the watermark nothing is added any more. Each row comes in exactly
 * one portion. Held by `rollUpContract`.
 */
export class UsageFeed extends Context.Service<
  UsageFeed,
  {
    /** How far the marks go, those of ended runs included. */
    readonly watermark: Effect.Effect<UsageWatermark>
    /** The next calls, added up by quarter of an hour and by all that a cell has in common. */
    readonly calls: (request: PortionRequest) => Effect.Effect<Portion<UsageCell>>
    /**
     * The next corrections in the same way: `costUsd` is their difference, `unpricedRequests` is below zero where they price calls
     * that had no price; everything else is zero.
     */
    readonly corrections: (request: PortionRequest) => Effect.Effect<Portion<UsageCell>>
  }
>()("@agent-platform/billing/UsageFeed") {}
