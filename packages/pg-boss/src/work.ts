import type { Job, JobKind, JobOutcome, JobSource, Signals, WorkOptions } from "@agent-platform/kernel"
import { persistently, untilDone } from "@agent-platform/toolkit"
import { Cause, Effect, Exit, FiberSet, Schema } from "effect"
import type { Boss } from "./Boss.ts"
import type { FetchedJob } from "./BossCalls.ts"

/** How often a worker looks for jobs without a signal. */
const POLL_SECONDS = 15

/** The shortest interval that pg-boss allows. */
const POLL_SECONDS_MIN = 0.5

/** How long a worker that is stopped waits for its handlers, and for pg-boss to write their results. */
const STOP = "5 seconds"

/** Thrown to pg-boss so that it keeps a job for another try. The actual error is in our own log and history. */
class NotDone extends Error {
  override readonly message = "The job did not come to its end"
}

/** The job with its payload decoded. Throws for a payload of another release that is unreadable here. */
export const readJob = <Payload>(kind: JobKind<Payload>, { data, id, retryCount }: FetchedJob): Job<Payload> => ({
  id,
  kind,
  payload: Schema.decodeUnknownSync(kind.payload)(data),
  attempt: retryCount + 1
})

/** Has pg-boss call the handler for each job of the kind. pg-boss aborts a handler whose job was given to another process. */
export const work =
  (boss: Boss["Service"], signals: Signals["Service"]): JobSource["Service"]["work"] =>
  <Payload, R>(
    kind: JobKind<Payload>,
    handle: (job: Job<Payload>) => Effect.Effect<JobOutcome, never, R>,
    { concurrencyMax = 1, pollSeconds = POLL_SECONDS }: WorkOptions = {}
  ) =>
    Effect.scoped(
      Effect.gen(function* () {
        const next = yield* signals.listen(kind.name)
        const handlers = yield* FiberSet.make<void, NotDone>()
        const run = yield* FiberSet.runtimePromise(handlers)<R>()
        let isStopped = false

        const act = (given: FetchedJob) =>
          Effect.suspend(() => handle(readJob(kind, given))).pipe(
            Effect.onExit((exit) =>
              Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
                ? Effect.logError(`The job ${kind.name} failed and is tried again`, exit.cause)
                : Effect.void
            ),
            Effect.flatMap((outcome) => (outcome === "done" ? Effect.void : Effect.fail(new NotDone()))),
            Effect.catchCause(() => Effect.fail(new NotDone()))
          )
        const options = {
          localConcurrency: concurrencyMax,
          pollingIntervalSeconds: Math.max(pollSeconds, POLL_SECONDS_MIN)
        }
        const registering = boss.use(async (pgBoss) => {
          const id = await pgBoss.work(kind.name, options, async ([job]) => {
            if (job === undefined) return
            // A job that was fetched while this worker stops is left to another.
            if (isStopped) throw new NotDone()
            await run(act(job), { signal: job.signal })
          })
          return { id, pgBoss }
        })

        const { id } = yield* Effect.acquireRelease(
          untilDone(`Taking up ${kind.name}`, registering),
          ({ id, pgBoss }) => {
            isStopped = true
            const off = Effect.tryPromise(() => pgBoss.offWork(kind.name, { id, wait: true }))
            return Effect.all([off, FiberSet.clear(handlers)], { concurrency: 2 }).pipe(
              Effect.interruptible,
              Effect.timeoutOption(STOP),
              Effect.ignore
            )
          }
        )
        const wake = boss.use(async (pgBoss) => pgBoss.notifyWorker(id))
        // pg-boss itself looks by the clock.
        const woken = Effect.flatMap(next(pollSeconds), (signalled) => (signalled ? wake : Effect.void))
        return yield* persistently(`Waking ${kind.name}`, woken)
      })
    )
