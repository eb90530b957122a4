/** Histories of jobs that are broken on purpose: a suite that lets a fault through fails here. */
import { JobHistory, type JobRunId } from "@agent-platform/kernel"
import { layer } from "@agent-platform/kernel/memory"
import { jobHistoryContract } from "@agent-platform/kernel/testing"
import { DateTime, Effect, Layer } from "effect"
import { bite } from "./bite.ts"

type History = JobHistory["Service"]

const fault = (what: string, broken: (history: History) => Partial<History>, caughtBy: ReadonlyArray<string>) => {
  const faulty = Layer.effect(
    JobHistory,
    JobHistory.use((history) => Effect.succeed(JobHistory.of({ ...history, ...broken(history) })))
  )
  bite(what, () => jobHistoryContract("a broken history", Layer.provideMerge(faulty, layer)), caughtBy)
}

fault("a history that notes nothing", () => ({ note: () => Effect.void }), [
  "takes a run for lost once the next begins, which goes on where that was"
])

fault(
  "a history that loses how much there was",
  (history) => ({ note: (id, progress) => history.note(id, { ...progress, itemsTotal: null }) }),
  ["takes a run for lost once the next begins, which goes on where that was"]
)

fault(
  "a history that says of every end that it was written",
  (history) => ({ end: (id: JobRunId, end) => Effect.as(history.end(id, end), true) }),
  ["writes nothing more of a run that is over"]
)

fault(
  "a history that begins anew whatever came before",
  (history) => ({
    begin: (run) => Effect.map(history.begin(run), (begun) => ({ ...begun, cursor: null }))
  }),
  [
    "takes a run for lost once the next begins, which goes on where that was",
    "goes on after a failure or a stop, and begins anew after a success"
  ]
)

fault(
  "a history that keeps one run fewer of a job than it is told to",
  (history) => ({ prune: (options) => history.prune({ ...options, perJob: options.perJob - 1 }) }),
  ["forgets what is old or more than is kept of a job, and never its latest run"]
)

fault(
  "a history that forgets more at once than it is asked to",
  (history) => ({ prune: (options) => history.prune({ ...options, max: options.max + 1 }) }),
  ["forgets no more at once than it is asked to"]
)

fault(
  "a history that takes a failure for a success",
  (history) => ({
    lastSuccesses: (names) =>
      Effect.map(
        history.latest,
        (latest) => new Map(names.map((name) => [name, latest.get(name)?.finishedAt ?? DateTime.makeUnsafe(0)]))
      )
  }),
  ["knows when each job succeeded last, whatever came after, and nothing of one that never did"]
)
