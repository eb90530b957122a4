import type { Distribution } from "@agent-platform/toolkit"
import { Context, type DateTime, type Effect } from "effect"
import type { Run } from "../Run.ts"

/** How many runs of an agent ended in a quarter of an hour. A run that ended on a question counts as paused, not as succeeded. */
export interface OutcomeCount extends Pick<Run, "organizationId" | "workspaceId" | "agentId"> {
  /** When the quarter begins, in UTC. */
  readonly at: DateTime.Utc
  readonly succeeded: number
  readonly paused: number
  readonly failed: number
  readonly cancelled: number
  /** How long the runs took from when they could begin (creation, or `runAt`) to their end; runs that never began are left out. */
  readonly latency: Distribution
}

/** A portion of the runs that ended, counted by cells: a cell is one agent and one quarter of an hour. */
export interface OutcomePortion {
  readonly cells: ReadonlyArray<OutcomeCount>
  /** The place after the last run that was counted; `after` as it was given when there was none. */
  readonly next: string | undefined
  /** All runs whose ends have a lower mark are counted by now. */
  readonly reached: bigint
}

/**
 * Counts how runs ended, for statistics: each in exactly one portion. Every end has a mark, a number that rises in the order in which
 * transactions began to write. One that commits late may have a lower mark than ends that are counted already, so a caller
 * chooses `before` below all transactions that are still open. Tested by `runOutcomesContract`.
 */
export class RunOutcomes extends Context.Service<
  RunOutcomes,
  {
    /** Counts up to `limit` runs that ended after the place `after`, of those with a mark below `before`. */
    readonly countEnded: (request: {
      readonly after: string | undefined
      readonly before: bigint
      readonly limit: number
    }) => Effect.Effect<OutcomePortion>
  }
>()("@agent-platform/runs/RunOutcomes") {}
