import { type Job, type JobKind, JobSource, Signals, Transaction } from "@agent-platform/kernel"
import { Effect, Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Boss } from "./Boss.ts"
import { makeHeldJobs } from "./heldJobs.ts"
import { jobStatements, retryCountOf, type TakenJob } from "./jobStatements.ts"
import { HEARTBEAT_SECONDS } from "./queues.ts"

/** When a job is tried again whose payload this release cannot read; another release may. */
const UNREADABLE_DELAY_SECONDS = 60

/** What pg-boss answers when it has settled attempts: the jobs that were still theirs. Its types leave that out. */
const settledIds = Schema.decodeUnknownSync(Schema.Struct({ settled: Schema.Array(Schema.String) }))

const attemptOf = (job: Job<unknown>) => ({ id: job.id, retryCount: retryCountOf(job) })

const reader = <Payload>(kind: JobKind<Payload>) => {
  const decode = Schema.decodeUnknownResult(kind.payload)
  return (job: TakenJob): Result.Result<Job<Payload>, Schema.SchemaError> =>
    Result.map(decode(job.data), (payload) => ({ id: job.id, kind, payload, attempt: job.retryCount + 1 }))
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const boss = yield* Boss
  const signals = yield* Signals
  const held = makeHeldJobs(sql)
  const statements = jobStatements(sql)

  yield* held.beat.pipe(
    Effect.catchCause((cause) => Effect.logWarning("Jobs could not be kept", cause)),
    Effect.andThen(Effect.sleep(`${HEARTBEAT_SECONDS} seconds`)),
    Effect.forever,
    Effect.forkScoped
  )

  /** Fails the attempts, which makes the jobs due at once, and moves those that really were ours to later. */
  const giveBack = Effect.fnUntraced(function* (
    name: string,
    attempts: ReadonlyArray<{ readonly id: string; readonly retryCount: number }>,
    delaySeconds: number
  ) {
    const failed = yield* boss.use((pgBoss, { db }) => pgBoss.fail(name, [...attempts], null, { db }))
    if (delaySeconds > 0) {
      for (const id of settledIds(failed).settled) {
        yield* boss.use((pgBoss, { db }) => pgBoss.update(name, undefined, { db, id, startAfter: delaySeconds }))
      }
    }
    yield* signals.raise(name)
  })

  const inTransaction = <A>(effect: Effect.Effect<A, never, Transaction>) =>
    Effect.orDie(sql.withTransaction(Effect.provideService(effect, Transaction, { id: "pg-boss" })))

  return JobSource.of({
    take: Effect.fnUntraced(function* <Payload>(kind: JobKind<Payload>, max: number) {
      const fetched = yield* Effect.orDie(statements.take(kind.name, max))
      const jobs: Array<Job<Payload>> = []
      const read = reader(kind)
      for (const job of fetched) {
        const readable = read(job)
        if (Result.isSuccess(readable)) {
          jobs.push(readable.success)
          continue
        }
        yield* Effect.logError(`The payload of job ${job.id} (${kind.name}) cannot be read`, readable.failure)
        yield* inTransaction(
          giveBack(kind.name, [{ id: job.id, retryCount: job.retryCount }], UNREADABLE_DELAY_SECONDS)
        )
      }
      held.add(jobs)
      return jobs
    }, Effect.uninterruptible),

    // A completed job is deleted: the table then holds only what is still to be done.
    complete: Effect.fnUntraced(function* <Payload>(jobs: ReadonlyArray<Job<Payload>>) {
      const completed = new Set<string>()
      for (const [name, ofKind] of Map.groupBy(jobs, (job) => job.kind.name)) {
        for (const { id } of yield* Effect.orDie(statements.delete(name, ofKind))) completed.add(id)
      }
      held.remove(jobs.filter((job) => !completed.has(job.id)))
      yield* sql.afterCommit(Effect.sync(() => held.remove(jobs)))
      return completed
    }),

    // Who failed to give jobs back does not work on them either: without signs of life they are found.
    release: (jobs, options) =>
      inTransaction(
        Effect.forEach(
          Map.groupBy(jobs, (job) => job.kind.name),
          ([name, ofKind]) => giveBack(name, ofKind.map(attemptOf), options?.delaySeconds ?? 0),
          { discard: true }
        )
      ).pipe(Effect.ensuring(Effect.sync(() => held.remove(jobs))))
  })
})

/**
 * The job source over pg-boss. While this layer lives, the jobs that were taken from it are kept by a sign of life every
 * 3 s; `PgBossSupervisor`, in this or any other process, makes the jobs of lost holders due again.
 */
export const layer: Layer.Layer<JobSource, never, Boss | SqlClient.SqlClient | Signals> = Layer.effect(JobSource, make)
