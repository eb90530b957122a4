/** Histories of runs that are broken on purpose: a suite that lets a fault through fails here. */
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { type Run, type RunEvent, RunHistory } from "@agent-platform/runs"
import { layer as stores } from "@agent-platform/runs/memory"
import { runHistoryContract } from "@agent-platform/runs/testing"
import { DateTime, Effect, Layer } from "effect"
import { faultsOf } from "../../kernel/test/faultsOf.ts"

const memory = Layer.merge(Layer.provideMerge(stores, kernel), Tenants.layerUnfounded)

const FORGETS_COMPRESSED = "compresses a log once while ten compress and others read it, and forgets it afterwards"

const fault = faultsOf(RunHistory, memory, runHistoryContract)

fault(
  "a history that forgets runs and leaves their logs and sessions",
  (history, database) => ({
    forget: (portion) =>
      Effect.gen(function* () {
        const [sessions, events] = [database.table<{ id: string }>("session"), database.table<object>("run_event")]
        const [kept, logs] = [yield* sessions.all, database.table<{ run: { id: string } }>("run")]
        const runs = yield* logs.all
        const entries = yield* Effect.forEach(runs, ({ run }) =>
          Effect.map(events.get(run.id), (log) => [run.id, log] as const)
        )
        const forgotten = yield* history.forget(portion)
        for (const one of kept) yield* sessions.put(one.id, one)
        for (const [id, log] of entries) if (log !== undefined) yield* events.put(id, log)
        return forgotten
      })
  }),
  ["forgets a session whose runs are all over, with their logs", FORGETS_COMPRESSED]
)

fault(
  "a history that looks at the runs of one portion only, again and again",
  (history) => ({ forget: (portion) => history.forget({ ...portion, after: undefined }) }),
  ["goes on behind the last run that it looked at, and says when there is none left"]
)

fault(
  "a history that forgets nothing",
  () => ({ forget: ({ after }) => Effect.succeed({ runs: 1, sessions: 1, kept: 0, last: after }) }),
  [
    "forgets a session whose runs are all over, with their logs",
    "leaves a session in which a run waits or has ended lately",
    "goes on behind the last run that it looked at, and says when there is none left",
    FORGETS_COMPRESSED,
    "forgets each run once when ten forget at once"
  ]
)

fault(
  "a history that forgets what ended lately",
  (history) => ({
    forget: (portion) => history.forget({ ...portion, before: DateTime.makeUnsafe("9000-01-01T00:00:00.000Z") })
  }),
  ["leaves a session in which a run waits or has ended lately"]
)

fault(
  "a history that counts all runs, wherever it goes on",
  (history) => ({ count: (range) => history.count({ ...range, after: undefined }) }),
  ["leaves a session in which a run waits or has ended lately"]
)

fault(
  "a history that loses the last event of a log as it compresses it",
  (_, database) => ({
    compress: ({ after = "" }) =>
      Effect.gen(function* () {
        const [rows, logs] = [database.table<{ run: Run }>("run"), database.table<ReadonlyArray<RunEvent>>("run_event")]
        for (const { run } of yield* rows.all) {
          const log = yield* logs.get(run.id)
          if (run.id > after && run.finishedAt !== null && log !== undefined) yield* logs.put(run.id, log.slice(0, -1))
        }
        return { logs: 0, last: undefined }
      })
  }),
  ["reads a log alike before and after it is compressed, page by page and to the byte", FORGETS_COMPRESSED]
)

fault(
  "a history that says it has compressed what ended lately",
  () => ({ compress: () => Effect.succeed({ logs: 1, last: undefined }) }),
  [
    "reads a log alike before and after it is compressed, page by page and to the byte",
    "leaves the logs of runs that go on or have ended lately, which grow and are read as before"
  ]
)
