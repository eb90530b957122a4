/** Histories of jobs that are broken on purpose: a suite that lets a fault through fails here. */
import { JobHistory, type JobRunId } from "@agent-platform/kernel"
import { layer } from "@agent-platform/kernel/memory"
import { jobHistoryContract } from "@agent-platform/kernel/testing"
import { Effect, Layer } from "effect"
import { bite } from "./bite.ts"

type History = JobHistory["Service"]

const fault = (what: string, broken: (history: History) => Partial<History>, caughtBy: ReadonlyArray<string>) => {
  const faulty = Layer.effect(
    JobHistory,
    JobHistory.use((history) => Effect.succeed(JobHistory.of({ ...history, ...broken(history) })))
  )
  bite(what, () => jobHistoryContract("a broken history", Layer.provideMerge(faulty, layer)), caughtBy)
}

fault(
  "a history that gives every job away for no time",
  (history) => ({ begin: (run) => history.begin(run, { leaseSeconds: 0 }) }),
  [
    "remembers who does what, and how it ended",
    "lets one of twenty who begin at once begin, and tells the others who it is",
    "has a job whose holder is dead taken over, from where it was",
    "lets a holder that was taken for dead write nothing any more",
    "shows the latest run of each job, and a job's runs page by page with the last first"
  ]
)

fault(
  "a history that never finds a holder dead",
  (history) => ({
    begin: (run) => history.begin(run, { leaseSeconds: 3_600 }),
    renew: (id, progress) => history.renew(id, progress, { leaseSeconds: 3_600 })
  }),
  [
    "has a job whose holder is dead taken over, from where it was",
    "lets a holder that was taken for dead write nothing any more"
  ]
)

fault(
  "a history that tells a holder that was taken for dead to go on",
  (history) => ({
    renew: (id: JobRunId, progress, options) => Effect.as(history.renew(id, progress, options), true)
  }),
  ["lets a holder that was taken for dead write nothing any more"]
)

fault(
  "a history that begins anew whatever came before",
  (history) => ({
    begin: (run, options) =>
      Effect.map(history.begin(run, options), (begun) => ({ run: { ...begun.run, cursor: null }, cursor: null }))
  }),
  [
    "has a job whose holder is dead taken over, from where it was",
    "goes on after a failure or a stop, and begins anew after a success"
  ]
)

fault(
  "a history that keeps one run fewer of a job than it is told to",
  (history) => ({ prune: ({ before, perJob }) => history.prune({ before, perJob: perJob - 1 }) }),
  ["forgets what is old or more than is kept of a job, and never its latest run"]
)
