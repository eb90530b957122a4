import { Signals, type WorkspaceCaller } from "@agent-platform/kernel"
import { Effect, Option, Stream } from "effect"
import { runChanged } from "../jobs.ts"
import { RunLog } from "../ports/RunLog.ts"
import { RunStore } from "../ports/RunStore.ts"
import { isTerminal, type RunId, RunNotFound } from "../Run.ts"
import { endsLog, type RunEvent } from "../RunEvent.ts"

/** A signal may be lost; a follower looks at least this often. */
const LOOK_SECONDS = 5

/** Most events that are read at once. */
const EVENTS_AT_ONCE = 500

export interface ReadRunLog {
  readonly caller: WorkspaceCaller
  readonly runId: RunId
  /** The last sequence number already seen; 0 starts at the beginning. */
  readonly after: number
}

const findRun = (query: ReadRunLog) =>
  Effect.gen(function* () {
    const runs = yield* RunStore
    const run = yield* runs.find(query.caller.workspaceId, query.runId)
    if (run === undefined) return yield* new RunNotFound()
    return run
  })

/** One page of the log, oldest first, and the last sequence number there is. Spec: Runs and sessions, logs. */
export const readRunLog = Effect.fn("runs.readRunLog")(function* (query: ReadRunLog & { readonly limit: number }) {
  yield* findRun(query)
  const log = yield* RunLog
  const lastSeq = yield* log.lastSeq(query.runId)
  const items = yield* log.read(query.runId, query)
  return { items, lastSeq: Math.max(lastSeq, items.at(-1)?.seq ?? 0) }
})

/**
 * The log as a stream: what is there, then what comes, until the event that ends the run. The same while the run
 * executes and afterwards; taken up after any sequence number without a loss or a repetition.
 */
export const followRunLog = Effect.fn("runs.followRunLog")(function* (query: ReadRunLog) {
  yield* findRun(query)
  const log = yield* RunLog
  const runs = yield* RunStore
  const signals = yield* Signals

  const readAfter = Effect.fnUntraced(function* (after: number) {
    const read = log.read(query.runId, { after, limit: EVENTS_AT_ONCE })
    const found = yield* read
    if (found.length > 0) return { found, over: false }
    const run = yield* runs.find(query.caller.workspaceId, query.runId)
    if (run !== undefined && !isTerminal(run)) return { found, over: false }
    // The run ended meanwhile, or its log was read to the end before: whatever is there now is the rest.
    return { found: yield* read, over: true }
  })

  const events = Effect.gen(function* () {
    // The listening begins before the first read, so nothing can happen unseen in between.
    const changed = yield* signals.listen(runChanged(query.runId))
    return Stream.paginate({ after: query.after, wait: false }, (at) =>
      Effect.gen(function* () {
        if (at.wait) yield* changed(LOOK_SECONDS)
        const { found, over } = yield* readAfter(at.after)
        const next = { after: found.at(-1)?.seq ?? at.after, wait: found.length < EVENTS_AT_ONCE }
        return [found, over ? Option.none() : Option.some(next)] as const
      })
    )
  })
  const stream: Stream.Stream<RunEvent> = Stream.takeUntil(Stream.unwrap(events), (event) => endsLog(event.type))
  return stream
})
