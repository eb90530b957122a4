/** A job that an operator has done. */
import { JobHistory, JobQueue, type JobRun, UnitOfWork } from "@agent-platform/kernel"
import { faultOf, JobHolder, rehearseJob, runJob, SCHEDULED_JOBS, WORKER_JOBS } from "@agent-platform/platform"
import { CommandFailed, CommandRefused } from "@agent-platform/process"
import { Cause, Console, Effect } from "effect"
import { config } from "../config.ts"
import { Json } from "../described.ts"
import { holderOf } from "../holder.ts"
import { layerJobs } from "../layers.ts"
import { printJson } from "../printed.ts"
import { makeProgress } from "../progress.ts"

/** How often it is looked whether a worker has done a job. */
const LOOK_MILLIS = 500

/** What came of it, as it is printed. */
interface Outcome {
  readonly name: string
  readonly status: "succeeded" | "already_running" | "rehearsed"
  readonly dry_run: boolean
  readonly items_done: number
  readonly holder: string | null
  readonly summary: string | null
}

export interface DoJob {
  readonly name: string
  readonly dryRun: boolean
  readonly waitSeconds: number
}

const failed = (name: string, why: string) => new CommandFailed({ message: `The job ${name} failed: ${why}` })

/** Does it here. A fault is in the history, and is said in a line. */
const here = Effect.fnUntraced(function* (job: (typeof SCHEDULED_JOBS)[number], dryRun: boolean) {
  const { name } = job.kind
  const holder = yield* JobHolder
  const show = yield* makeProgress
  let done = 0
  const common = { name, dry_run: dryRun, holder }
  const act = dryRun
    ? Effect.map(rehearseJob(job), (summary): Outcome => ({ ...common, status: "rehearsed", items_done: 0, summary }))
    : runJob(job, {
        trigger: "operator",
        holder,
        onProgress: ({ itemsDone }) => {
          done = itemsDone
          return show({ label: name, done })
        }
      }).pipe(Effect.map((summary): Outcome => ({ ...common, status: "succeeded", items_done: done, summary })))
  return yield* act.pipe(
    Effect.catchTag("JobAlreadyRunning", ({ holder: other }) =>
      Effect.succeed<Outcome>({ ...common, status: "already_running", items_done: 0, holder: other, summary: null })
    ),
    Effect.catchTag("JobTakenOver", ({ message }) => Effect.fail(failed(name, message))),
    Effect.catchCause((cause) => {
      const error = Cause.squash(cause)
      if (Cause.hasInterruptsOnly(cause) || error instanceof CommandFailed) return Effect.failCause(cause)
      return Effect.fail(failed(name, faultOf(cause)))
    })
  )
})

/** Hands it to the workers, and waits for one to bring it to its end. */
const byWorker = Effect.fnUntraced(function* (job: (typeof WORKER_JOBS)[number], waitSeconds: number) {
  const { name } = job.kind
  const [history, queue, unit] = [yield* JobHistory, yield* JobQueue, yield* UnitOfWork]
  const show = yield* makeProgress
  const latest = Effect.map(history.latest, (found) => found.get(name))
  const before = yield* latest
  if (before?.status === "running") {
    const { holder, itemsDone } = before
    const outcome: Outcome = {
      name,
      status: "already_running",
      dry_run: false,
      items_done: itemsDone,
      holder,
      summary: null
    }
    return outcome
  }
  yield* unit.atomic(queue.enqueue(job.kind, { trigger: "operator" }))
  let run: JobRun | undefined
  for (let waited = 0; waited <= waitSeconds * 1_000; waited += LOOK_MILLIS) {
    run = yield* latest
    if (run !== undefined && run.id !== before?.id) {
      if (run.status === "succeeded") {
        const { holder, itemsDone, summary } = run
        const outcome: Outcome = { name, status: "succeeded", dry_run: false, items_done: itemsDone, holder, summary }
        return outcome
      }
      if (run.status !== "running")
        return yield* failed(name, run.error ?? `its run was ${run.status}; it is tried again`)
      yield* show({ label: name, done: run.itemsDone })
    }
    yield* Effect.sleep(LOOK_MILLIS)
  }
  return yield* new CommandRefused({
    message: `The job ${name} is with the workers, and none has brought it to its end within ${waitSeconds} s. Look at 'jobs history'`
  })
})

/** Has a job done and prints what came of it. Doing one that is being done already is no failure. */
export const doJob = Effect.fnUntraced(function* ({ dryRun, name, waitSeconds }: DoJob) {
  const settings = yield* config
  const ofWorkers = WORKER_JOBS.find(({ kind }) => kind.name === name)
  const ofScheduler = SCHEDULED_JOBS.find(({ kind }) => kind.name === name)
  if (ofWorkers !== undefined && dryRun) {
    return yield* new CommandRefused({ message: `The job ${name} is done by workers, and cannot be undone` })
  }
  const done = Effect.gen(function* () {
    if (ofWorkers !== undefined) return yield* byWorker(ofWorkers, waitSeconds)
    if (ofScheduler !== undefined) return yield* here(ofScheduler, dryRun)
    return yield* Effect.die(new Error(`There is no job ${name}`))
  })
  const outcome = yield* Effect.scoped(done).pipe(
    Effect.provideService(JobHolder, holderOf("admin")),
    Effect.provide(layerJobs(settings))
  )
  if (yield* Json) return yield* printJson(outcome)
  const said = {
    succeeded: outcome.summary,
    rehearsed: `It would have come to this: ${outcome.summary}`,
    already_running: `It is being done by ${outcome.holder} already`
  }[outcome.status]
  return yield* Console.log(said)
})
