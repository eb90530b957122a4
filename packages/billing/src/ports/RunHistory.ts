import type { WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { OutcomeCell } from "../UsageCells.ts"
import type { Portion, PortionRequest } from "./UsageFeed.ts"

/** The times of a run: no call of it was made before, and few after. */
export interface RunTimes {
  readonly createdAt: DateTime.Utc
  /** Null while it has not ended. */
  readonly finishedAt: DateTime.Utc | null
}

/** The runs that calls were made for, which another domain has. */
export class RunHistory extends Context.Service<
  RunHistory,
  {
    /** The run, if it is one of this workspace's. */
    readonly find: (workspaceId: WorkspaceId, runId: string) => Effect.Effect<RunTimes | undefined>
    /** The next ended runs, counted by the quarter of an hour of their end. Their marks are those of `UsageFeed`. */
    readonly ended: (request: PortionRequest) => Effect.Effect<Portion<OutcomeCell>>
  }
>()("@agent-platform/billing/RunHistory") {}
