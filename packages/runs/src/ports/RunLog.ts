import type { Transaction } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { RunId } from "../Run.ts"
import type { NewRunEvent, RunEvent } from "../RunEvent.ts"

/** Events for one run's log. */
export interface RunLogEntry {
  readonly runId: RunId
  /** The claim under which they are written; null while nobody has claimed the run. */
  readonly claimToken: string | null
  readonly events: ReadonlyArray<NewRunEvent>
}

/** Keeps the logs of runs. Tested by `runLogContract`. */
export class RunLog extends Context.Service<
  RunLog,
  {
    /**
     * Appends events in order, each run's in a sequence without gaps, also with several writers. An entry whose claim was lost
     * appends nothing. Entries must name different runs.
     */
    readonly append: (entries: ReadonlyArray<RunLogEntry>) => Effect.Effect<void, never, Transaction>
    /**
     * Events after `after`, oldest first; what is read once never changes and nothing appears before it later. A page ends after
     * `limit` events, or after the one with which their data comes to `LOG_PAGE_BYTES` of JSON.
     */
    readonly read: (
      runId: RunId,
      options: { readonly after: number; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<RunEvent>>
    /** The bytes of JSON that the data of all its events takes, with the white space that the store writes in it. */
    readonly bytes: (runId: RunId) => Effect.Effect<number>
    /** The last sequence number given out; 0 for an empty log. */
    readonly lastSeq: (runId: RunId) => Effect.Effect<number>
  }
>()("@agent-platform/runs/RunLog") {}
