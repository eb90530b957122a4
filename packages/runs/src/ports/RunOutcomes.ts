import type { Distribution } from "@agent-platform/toolkit"
import { Context, type DateTime, type Effect } from "effect"
import type { Run } from "../Run.ts"

/** How many runs of an agent ended in a quarter of an hour. One that ended on a question is paused and not succeeded. */
export interface OutcomeCount extends Pick<Run, "organizationId" | "workspaceId" | "agentId"> {
  /** When the quarter begins, in UTC. */
  readonly at: DateTime.Utc
  readonly succeeded: number
  readonly paused: number
  readonly failed: number
  readonly cancelled: number
  /** How long each took, from when it could begin (its creation, or `runAt`) to its end; those that never began are left out. */
  readonly latency: Distribution
}

/** A portion of the runs that ended. */
export interface OutcomePortion {
  readonly cells: ReadonlyArray<OutcomeCount>
  /** Right behind the last run that was counted; as it was asked for when there was none. */
  readonly next: string | undefined
  /** Every run with a lower mark is counted by now. */
  readonly reached: bigint
}

/**
 * Counts how runs ended, for statistics: each in exactly one portion. Every end has a mark, which
 * rises with the time when its transaction began to write. Held by `runOutcomesContract`.
 */
export class RunOutcomes extends Context.Service<
  RunOutcomes,
  {
    /** The next `limit` runs at most that ended behind the place `after`, of those with a mark below `before`, counted. */
    readonly ended: (request: {
      readonly after: string | undefined
      readonly before: bigint
      readonly limit: number
    }) => Effect.Effect<OutcomePortion>
  }
>()("@agent-platform/runs/RunOutcomes") {}
