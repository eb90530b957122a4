/** Has a job done on an operator's request. */
import {
  JobHistory,
  type JobProgress,
  JobQueue,
  type JobRun,
  JobSource,
  ProcessName,
  UnitOfWork
} from "@agent-platform/kernel"
import { faultOf, rehearseJob, runJob, SCHEDULED_JOBS, WORKER_JOBS } from "@agent-platform/platform"
import { CommandFailed, CommandRefused } from "@agent-platform/process"
import { Cause, Console, Effect } from "effect"
import { config } from "../config.ts"
import { JsonFlag } from "../described.ts"
import { holderOf } from "../holder.ts"
import { layerJobs } from "../layers.ts"
import { printJson } from "../printed.ts"
import { makeProgress } from "../progress.ts"

/** How often the history is read while a worker does a job. */
const LOOK_MILLIS = 500

/** The outcome as it is printed. */
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

const latestRun = (name: string) => JobHistory.use((history) => Effect.map(history.latest, (found) => found.get(name)))

/** The outcome where another process is doing the job already. */
const alreadyRunning = Effect.fnUntraced(function* (name: string) {
  const last = yield* latestRun(name)
  const run = last?.status === "running" ? last : undefined
  const outcome: Outcome = {
    name,
    status: "already_running",
    dry_run: false,
    items_done: run?.itemsDone ?? 0,
    holder: run?.holder ?? null,
    summary: null
  }
  return outcome
})

/** Does the job in a transaction that is undone. */
const rehearse = Effect.fnUntraced(function* (job: (typeof SCHEDULED_JOBS)[number]) {
  const summary = yield* rehearseJob(job)
  const holder = yield* ProcessName
  const outcome: Outcome = {
    name: job.kind.name,
    status: "rehearsed",
    dry_run: true,
    items_done: 0,
    holder,
    summary
  }
  return outcome
})

/** Takes the job from the queue and does it in this process. */
const doHere = Effect.fnUntraced(function* (job: (typeof SCHEDULED_JOBS)[number]) {
  const { name } = job.kind
  const source = yield* JobSource
  const holder = yield* ProcessName
  const show = yield* makeProgress
  let done = 0
  const onProgress = ({ itemsDone, itemsTotal }: JobProgress) => {
    done = itemsDone
    return show({ label: name, done, total: itemsTotal ?? undefined })
  }
  const doing = source.doNow(job.kind, { trigger: "operator" }, () =>
    runJob(job, { trigger: "operator", holder, onProgress })
  )
  return yield* doing.pipe(
    Effect.map(
      (summary): Outcome => ({ name, status: "succeeded", dry_run: false, items_done: done, holder, summary })
    ),
    Effect.catchTag("JobAlreadyRunning", () => alreadyRunning(name))
  )
})

/** Turns a fault of the job into one line for the operator; the history has it as well. */
const withFaultInALine = <A, E, R>(name: string, act: Effect.Effect<A, E, R>) =>
  Effect.catchCause(
    act,
    (cause): Effect.Effect<never, E | CommandFailed> =>
      Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : Effect.fail(failed(name, faultOf(cause)))
  )

/** Hands the job to the workers, and waits until one has finished it. */
const doByWorker = Effect.fnUntraced(function* (job: (typeof WORKER_JOBS)[number], waitSeconds: number) {
  const { name } = job.kind
  const [queue, unit] = [yield* JobQueue, yield* UnitOfWork]
  const show = yield* makeProgress
  // Read before the job is enqueued: a later run with another id is the one that was asked for.
  const before = yield* latestRun(name)
  if (!(yield* unit.atomic(queue.enqueue(job.kind, { trigger: "operator" })))) return yield* alreadyRunning(name)
  let run: JobRun | undefined
  for (let waited = 0; waited <= waitSeconds * 1_000; waited += LOOK_MILLIS) {
    run = yield* latestRun(name)
    if (run !== undefined && run.id !== before?.id) {
      if (run.status === "succeeded") {
        const { holder, itemsDone, summary } = run
        const outcome: Outcome = { name, status: "succeeded", dry_run: false, items_done: itemsDone, holder, summary }
        return outcome
      }
      if (run.status !== "running")
        return yield* failed(name, run.error ?? `its run was ${run.status}; it is tried again`)
      yield* show({ label: name, done: run.itemsDone, total: run.itemsTotal ?? undefined })
    }
    yield* Effect.sleep(LOOK_MILLIS)
  }
  return yield* new CommandRefused({
    message: `The job ${name} is with the workers, and none has finished it within ${waitSeconds} s. Look at 'jobs history'`
  })
})

/** Has a job done and prints the outcome. A job that is being done already is no failure. */
export const doJob = Effect.fnUntraced(function* ({ dryRun, name, waitSeconds }: DoJob) {
  const settings = yield* config
  const ofWorkers = WORKER_JOBS.find(({ kind }) => kind.name === name)
  const ofScheduler = SCHEDULED_JOBS.find(({ kind }) => kind.name === name)
  if (ofWorkers !== undefined && dryRun) {
    return yield* new CommandRefused({
      message: `The job ${name} is done by workers, so it cannot be rehearsed: leave --dry-run out`
    })
  }
  const done = Effect.gen(function* () {
    if (ofWorkers !== undefined) return yield* doByWorker(ofWorkers, waitSeconds)
    if (ofScheduler !== undefined)
      return yield* withFaultInALine(name, dryRun ? rehearse(ofScheduler) : doHere(ofScheduler))
    return yield* Effect.die(new Error(`There is no job ${name}`))
  })
  const outcome = yield* Effect.scoped(done).pipe(
    Effect.provideService(ProcessName, holderOf("admin")),
    Effect.provide(layerJobs(settings))
  )
  if (yield* JsonFlag) return yield* printJson(outcome)
  const said = {
    succeeded: outcome.summary,
    rehearsed: `It would have come to this: ${outcome.summary}`,
    already_running: `It is being done by ${outcome.holder ?? "another process"} already`
  }[outcome.status]
  return yield* Console.log(said)
})
