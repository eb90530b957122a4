import type { Transaction } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { Run, RunId } from "../Run.ts"
import type { SessionId } from "../Session.ts"
import type { SessionStanding } from "../SessionList.ts"
import type { HeldRun } from "./RunSettlement.ts"

/**
 * The runs of a session: its line, and the questions on which some ended. Tested by `runStoreContract`, `sessionContract`
 * and `sessionListContract`.
 */
export class SessionRuns extends Context.Service<
  SessionRuns,
  {
    /** How many runs of the session are queued, and running. */
    readonly countUnfinished: (
      sessionId: SessionId
    ) => Effect.Effect<{ readonly queued: number; readonly running: number }>
    /** The run that joined the session last. */
    readonly latest: (sessionId: SessionId) => Effect.Effect<Run | undefined>
    /**
     * The last `max` unfinished runs of the session, or the last before the run `before`, in the order in which they execute. They
     * are locked until the transaction ends. The caller has locked the session.
     */
    readonly holdUnfinished: (
      sessionId: SessionId,
      max: number,
      before?: RunId
    ) => Effect.Effect<ReadonlyArray<HeldRun>, never, Transaction>
    /** The latest run of the session with an open question. */
    readonly openQuestion: (sessionId: SessionId) => Effect.Effect<Run | undefined>
    /** The states of these sessions; a session without runs is not in it. */
    readonly standings: (sessionIds: ReadonlyArray<SessionId>) => Effect.Effect<ReadonlyMap<SessionId, SessionStanding>>
    /** Marks the question of a run as answered by another run; false when it is not open. */
    readonly answer: (id: RunId, resumedBy: RunId) => Effect.Effect<boolean, never, Transaction>
    /** Cancels every open question of the session at `now`, and returns the runs that had asked them. */
    readonly cancelQuestions: (
      sessionId: SessionId,
      now: DateTime.Utc
    ) => Effect.Effect<ReadonlyArray<RunId>, never, Transaction>
    /**
     * Marks up to `max` open questions of all sessions that were asked before this time as reminded of, and returns their runs. Each
     * question is returned to one caller only, once, also where several call this at the same time.
     */
    readonly remind: (request: {
      readonly askedBefore: DateTime.Utc
      readonly max: number
    }) => Effect.Effect<ReadonlyArray<Run>, never, Transaction>
  }
>()("@agent-platform/runs/SessionRuns") {}
