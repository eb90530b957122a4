import type { Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { RunId } from "../Run.ts"

/** The result of one portion of forgetting. */
export interface ForgottenRuns {
  /** The runs that were forgotten, their number, and the number of their sessions. */
  readonly ids: ReadonlyArray<RunId>
  readonly runs: number
  readonly sessions: number
  /** How many runs were looked at and stay. */
  readonly kept: number
  /** The last run that was looked at; undefined when there was none left to look at. */
  readonly last: RunId | undefined
}

/** The result of one portion of compressing. */
export interface CompressedLogs {
  /** How many logs were compressed. */
  readonly logs: number
  /** The last run that was looked at; undefined when there was none left to look at. */
  readonly last: RunId | undefined
}

/** Old runs, so that they can be forgotten and their logs compressed, a portion at a time. Tested by `runHistoryContract`. */
export class RunHistory extends Context.Service<
  RunHistory,
  {
    /** How many runs were triggered before `before`, with ids greater than `after`. */
    readonly count: (range: {
      readonly before: DateTime.Utc
      readonly after: RunId | undefined
    }) => Effect.Effect<number>
    /**
     * Looks at up to `limit` runs that were triggered before `before`, with ids greater than `after` and in their order, and
     * forgets their sessions with all runs and logs, if every run of the session had ended before `before`. A session that is
     * being written to is left for another time. With `workspaceId` it looks at that workspace alone. Any number may forget at once.
     */
    readonly forget: (portion: {
      readonly workspaceId?: WorkspaceId | undefined
      readonly before: DateTime.Utc
      readonly after: RunId | undefined
      readonly limit: number
    }) => Effect.Effect<ForgottenRuns, never, Transaction>
    /**
     * Looks at up to `limit` runs whose logs are not compressed, with ids greater than `after` and in their order, and compresses the
     * logs of those that had ended before `before`. `RunLog` reads a log alike before, meanwhile and afterwards. A run that is being
     * written to or forgotten is left for another time. Any number may compress at once. A store that does not compress looks at
     * nothing.
     */
    readonly compress: (portion: {
      readonly before: DateTime.Utc
      readonly after: RunId | undefined
      readonly limit: number
    }) => Effect.Effect<CompressedLogs, never, Transaction>
  }
>()("@agent-platform/runs/RunHistory") {}
