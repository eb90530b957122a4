import type { WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { Effect, Option, Stream } from "effect"
import { RunLog } from "../ports/RunLog.ts"
import { isTerminal, type RunId } from "../Run.ts"
import { endsLog, type RunEvent } from "../RunEvent.ts"
import { EVENTS_AT_ONCE, type RunTail, RunTails } from "../RunTails.ts"
import { findRun } from "./readRun.ts"

export interface ReadRunLog {
  readonly caller: WorkspaceCaller
  readonly runId: RunId
  /** The last sequence number already seen; 0 starts at the beginning. */
  readonly after: number
}

/** One page of the log, oldest first, and the last sequence number there is. Spec: Run log. */
export const readRunLog = useCase("runs.readRunLog")(function* (query: ReadRunLog & { readonly limit: number }) {
  yield* findRun(query)
  const log = yield* RunLog
  const lastSeq = yield* log.lastSeq(query.runId)
  const items = yield* log.read(query.runId, query)
  // The log may have grown between the two readings.
  return { items, lastSeq: Math.max(lastSeq, items.at(-1)?.seq ?? 0) }
})

/** The events in the store after `from`, read page by page as they are asked for. */
export const storedEvents = (log: RunLog["Service"], runId: RunId, from: number): Stream.Stream<RunEvent> =>
  Stream.paginate(from, (after) =>
    Effect.map(log.read(runId, { after, limit: EVENTS_AT_ONCE }), (found) => {
      const last = found.at(-1)
      return [found, last === undefined ? Option.none() : Option.some(last.seq)] as const
    })
  )

/** The next events of a log, from the tail that all its followers share, or from the store where that has dropped them. */
const nextPage = Effect.fnUntraced(function* (log: RunLog["Service"], tail: RunTail, runId: RunId, after: number) {
  const news = yield* tail.after(after)
  if (news === "over") return [[], Option.none()] as const
  const found = news === "elsewhere" ? yield* log.read(runId, { after, limit: EVENTS_AT_ONCE }) : news
  return [found, Option.some(found.at(-1)?.seq ?? after)] as const
})

/** The events after `from` as they are written, until nothing can follow. */
const followed = (log: RunLog["Service"], tail: RunTail, runId: RunId, from: number) =>
  Stream.paginate(from, (after) => nextPage(log, tail, runId, after))

/**
 * The log as a stream up to the event that ends the run. It is the same while the run executes and afterwards, and goes on
 * after any sequence number without a loss or a repetition. New events are read once for all followers of a run; only a
 * follower far behind reads for itself.
 */
export const followRunLog = useCase("runs.followRunLog")(function* (query: ReadRunLog) {
  const run = yield* findRun(query)
  const log = yield* RunLog
  const tails = yield* RunTails
  const events = isTerminal(run)
    ? storedEvents(log, run.id, query.after)
    : Stream.unwrap(Effect.map(tails.of(run.workspaceId, run.id), (tail) => followed(log, tail, run.id, query.after)))
  const stream: Stream.Stream<RunEvent> = Stream.takeUntil(events, (event) => endsLog(event.type))
  return stream
})
