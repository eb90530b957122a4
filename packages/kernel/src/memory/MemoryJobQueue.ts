import { persistently } from "@agent-platform/toolkit"
import { DateTime, Effect, Exit, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Job, JobKind } from "../Job.ts"
import { JobAlreadyRunning } from "../JobRun.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { JobSource } from "../ports/JobSource.ts"
import { Signals } from "../ports/Signals.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

interface JobRow {
  readonly id: string
  readonly name: string
  readonly payload: unknown
  readonly priority: number
  readonly dueAt: number
  readonly attempt: number
  readonly taken: boolean
}

const POLL_SECONDS = 15

const make = Effect.gen(function* () {
  const database = yield* MemoryDatabase
  const signals = yield* Signals
  const random = yield* SecureRandom.SecureRandom
  const jobs = database.table<JobRow>("job")
  const now = Effect.map(DateTime.now, DateTime.toEpochMillis)
  const jobsOf = (name: string) => Effect.map(jobs.all, (all) => all.filter((row) => row.name === name))

  /**
   * Puts a job into the queue, of a singleton kind in the place of the one that waits. False, and nothing is put, while the job
   * of a singleton kind is under way.
   */
  const put = Effect.fnUntraced(function* <Payload>(
    kind: JobKind<Payload>,
    payload: Payload,
    { dueAt, priority }: { readonly dueAt: number; readonly priority: number }
  ) {
    const existing = kind.isSingleton ? (yield* jobsOf(kind.name))[0] : undefined
    if (existing?.taken === true) return false
    const id = existing?.id ?? (yield* random.uuidV7())
    const encoded = Schema.encodeSync(kind.payload)(payload)
    const attempt = existing?.attempt ?? 0
    yield* jobs.put(id, { id, name: kind.name, payload: encoded, priority, dueAt, attempt, taken: false })
    return true
  })

  const queue = JobQueue.of({
    enqueue: Effect.fnUntraced(function* (kind, payload, options) {
      const dueAt = options?.runAt === undefined ? yield* now : DateTime.toEpochMillis(options.runAt)
      const isEnqueued = yield* put(kind, payload, { dueAt, priority: options?.priority ?? 0 })
      yield* signals.raise(kind.name)
      return isEnqueued
    })
  })

  /** Takes the free job of the kind with the highest priority that is due by that time. */
  const take = Effect.fnUntraced(function* <Payload>(kind: JobKind<Payload>, dueBy: number) {
    const [row] = (yield* jobsOf(kind.name))
      .filter(({ dueAt, taken }) => !taken && dueAt <= dueBy)
      .sort((a, b) => b.priority - a.priority)
    if (row === undefined) return undefined
    const attempt = row.attempt + 1
    yield* jobs.put(row.id, { ...row, taken: true, attempt })
    const job: Job<Payload> = {
      id: row.id,
      kind,
      payload: Schema.decodeUnknownSync(kind.payload)(row.payload),
      attempt
    }
    return job
  })

  /** Removes a job that is done, or has it wait for its next try. */
  const settle = Effect.fnUntraced(function* ({ attempt, id, kind }: Job<unknown>, isDone: boolean) {
    if (isDone) return yield* jobs.remove(id)
    const row = yield* jobs.get(id)
    const delaySeconds = Math.min(kind.retrySeconds * 2 ** Math.min(attempt - 1, 16), kind.retrySecondsMax)
    if (row !== undefined) {
      yield* jobs.put(id, { ...row, taken: false, dueAt: (yield* now) + delaySeconds * 1_000 })
    }
  }, database.atomic)

  const source = JobSource.of({
    work: (kind, handle, { concurrencyMax = 1, pollSeconds = POLL_SECONDS } = {}) => {
      const takeDue = database.atomic(Effect.flatMap(now, (time) => take(kind, time)))
      const worker = Effect.scoped(
        Effect.flatMap(signals.listen(kind.name), (nextSignal) =>
          persistently(
            `The job ${kind.name}`,
            // A job that was taken is settled before anything else: nobody else would find it.
            Effect.uninterruptibleMask((restore) =>
              Effect.flatMap(takeDue, (job) =>
                job === undefined
                  ? restore(nextSignal(pollSeconds))
                  : Effect.asVoid(
                      // A handler that succeeds with "again" hands its job back.
                      Effect.onExit(restore(handle(job)), (exit) =>
                        settle(job, Exit.isSuccess(exit) && exit.value === "done")
                      )
                    )
              )
            )
          )
        )
      )
      return Effect.raceAllFirst(Array.from({ length: concurrencyMax }, () => worker))
    },
    doNow: (kind, payload, handle) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          // `take` finds no other job, since the kind is a singleton, and none at all while its job is under way.
          const job = yield* database.atomic(
            Effect.andThen(put(kind, payload, { dueAt: 0, priority: 0 }), take(kind, Number.POSITIVE_INFINITY))
          )
          if (job === undefined) return yield* new JobAlreadyRunning({ name: kind.name })
          // This handler's value is its caller's, so every success means that the job is done.
          return yield* Effect.onExit(restore(handle(job)), (exit) => settle(job, Exit.isSuccess(exit)))
        })
      )
  })
  return { queue, source }
})

/** The job queue over a `MemoryDatabase`. Its workers share its process, so none is ever lost alone. */
export const layerJobQueue: Layer.Layer<
  JobQueue | JobSource,
  never,
  MemoryDatabase | Signals | SecureRandom.SecureRandom
> = Layer.unwrap(
  Effect.map(make, ({ queue, source }) => Layer.merge(Layer.succeed(JobQueue, queue), Layer.succeed(JobSource, source)))
)
