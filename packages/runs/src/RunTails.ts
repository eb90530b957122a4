/** The ends of logs that this process follows: read once for all of their readers. */
import { Signals, WorkspaceId } from "@agent-platform/kernel"
import { persistently } from "@agent-platform/toolkit"
import { Context, Deferred, Effect, Layer, RcMap, type Scope } from "effect"
import { RunLog } from "./ports/RunLog.ts"
import { RunReader } from "./ports/RunReader.ts"
import { isTerminal, RunId } from "./Run.ts"
import { endsLog, LOG_PAGE_BYTES, type RunEvent } from "./RunEvent.ts"
import { runChanged } from "./signals.ts"

/** A signal may be lost; a log that somebody follows is looked at this often at least. */
const LOOK_SECONDS = 5

/** Most events that are read at once, fewer where they are large. */
export const EVENTS_AT_ONCE = 500

/** Events of one log that are kept for its readers, and bytes of their data. A reader further behind reads the store. */
const KEPT_MAX = 256
const KEPT_BYTES_MAX = 2 * LOG_PAGE_BYTES

/** The end of one log, as far as this process has seen it. */
export interface RunTail {
  /**
   * The events after `seq`, as many as are at hand; `elsewhere` when some of them are not at hand any more;
   * `over` when nothing can follow. Waits where there is nothing yet.
   */
  readonly after: (seq: number) => Effect.Effect<ReadonlyArray<RunEvent> | "elsewhere" | "over">
}

interface Kept {
  readonly event: RunEvent
  readonly bytes: number
}

/** The last of the events that were known and found, as many as are kept. */
const keptOf = (known: ReadonlyArray<Kept>, found: ReadonlyArray<RunEvent>): ReadonlyArray<Kept> => {
  const all = [...known, ...found.map((event) => ({ event, bytes: JSON.stringify(event.data).length }))]
  let sum = 0
  const lastDropped = all.findLastIndex(({ bytes }, index) => {
    sum += bytes
    return all.length - index > KEPT_MAX || sum > KEPT_BYTES_MAX
  })
  return all.slice(lastDropped + 1)
}

/** The part of a log that this process has seen. */
interface Seen {
  last: number
  isOver: boolean
  kept: ReadonlyArray<Kept>
  /** Completed when further events are seen or the log is over, and then replaced by another. */
  news: Deferred.Deferred<void>
}

/** Reads the events after those already seen. Once the log is over it never returns, so that nobody reads on. */
const look = Effect.fnUntraced(function* (log: RunLog["Service"], runId: RunId, seen: Seen) {
  while (!seen.isOver) {
    const found = yield* log.read(runId, { after: seen.last, limit: EVENTS_AT_ONCE })
    const last = found.at(-1)
    if (last === undefined) return
    seen.kept = keptOf(seen.kept, found)
    seen.last = last.seq
    seen.isOver = endsLog(last.type)
    const awaited = seen.news
    seen.news = Deferred.makeUnsafe()
    yield* Deferred.succeed(awaited, undefined)
  }
  yield* Effect.never
})

const makeTail = Effect.fnUntraced(function* (workspaceId: WorkspaceId, runId: RunId) {
  const log = yield* RunLog
  const runs = yield* RunReader
  const signals = yield* Signals
  // The listening begins before the first look, so nothing can happen unseen in between.
  const changed = yield* signals.listen(runChanged(runId))
  const run = yield* runs.find(workspaceId, runId)
  const seen: Seen = {
    last: yield* log.lastSeq(runId),
    isOver: run === undefined || isTerminal(run),
    kept: [],
    news: Deferred.makeUnsafe()
  }
  if (!seen.isOver) {
    const looking = Effect.andThen(changed(LOOK_SECONDS), look(log, runId, seen))
    yield* Effect.forkScoped(persistently(`Following the log of run ${runId}`, looking))
  }

  const after: RunTail["after"] = (seq) =>
    Effect.suspend(() => {
      if (seq < seen.last) {
        const first = seen.kept[0]?.event.seq
        if (first === undefined || seq < first - 1) return Effect.succeed("elsewhere")
        return Effect.succeed(seen.kept.slice(seq - first + 1).map(({ event }) => event))
      }
      return seen.isOver ? Effect.succeed("over") : Effect.andThen(Deferred.await(seen.news), after(seq))
    })
  return { after } satisfies RunTail
})

/**
 * The tails of logs, each read by one reader however many follow it, and only while somebody does. Events are kept for
 * them in a bounded buffer, so that a slow reader holds up nobody and costs no memory.
 */
export class RunTails extends Context.Service<
  RunTails,
  { readonly of: (workspaceId: WorkspaceId, runId: RunId) => Effect.Effect<RunTail, never, Scope.Scope> }
>()("@agent-platform/runs/RunTails") {
  static readonly layer: Layer.Layer<RunTails, never, RunLog | RunReader | Signals> = Layer.effect(
    RunTails,
    Effect.gen(function* () {
      const tails = yield* RcMap.make({
        lookup: (name: string) => {
          const [workspaceId = "", runId = ""] = name.split(" ")
          return makeTail(WorkspaceId.make(workspaceId), RunId.make(runId))
        }
      })
      return { of: (workspaceId, runId) => RcMap.get(tails, `${workspaceId} ${runId}`) }
    })
  )
}
