import { dispatchEvent, type Job, type JobKind, JobSource, Signals, Transaction } from "@agent-platform/kernel"
import { DateTime, Effect, Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Job as PgBossJob } from "pg-boss"
import { Boss, SCHEMA } from "./Boss.ts"
import { makeHeldJobs, retryCountOf } from "./heldJobs.ts"
import { HEARTBEAT_SECONDS } from "./queues.ts"

/** When a job is tried again whose payload this release cannot read; another release may. */
const UNREADABLE_DELAY_SECONDS = 60

/** What pg-boss answers when it has settled attempts: the jobs that were still theirs. Its types leave that out. */
const settledIds = Schema.decodeUnknownSync(Schema.Struct({ settled: Schema.Array(Schema.String) }))

const attemptOf = (job: Job<unknown>) => ({ id: job.id, retryCount: retryCountOf(job) })

const reader = <Payload>(kind: JobKind<Payload>) => {
  const decode = Schema.decodeUnknownResult(kind.payload)
  return (job: PgBossJob): Result.Result<Job<Payload>, Schema.SchemaError> =>
    Result.map(decode(job.data), (payload) => ({ id: job.id, kind, payload, attempt: job.retryCount + 1 }))
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const boss = yield* Boss
  const signals = yield* Signals
  const held = makeHeldJobs(sql)

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

  // With statistics that are missing or old the planner has every fetch read and sort all that waits, or pass through the whole
  // table to what it has found: 11 to 19 ms with 13,000 jobs, more with more, against 4 by the index that is there for it.
  const byIndex = `
    set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true),
    set_config('enable_seqscan', 'off', true)
  `
  const asFetched = Effect.orDie(sql`select ${sql.literal(byIndex)}`)
  // Nor does the fetch of an event wait for the disk: one that a crash undoes is an event to be fetched, and what ends it comes
  // later. Of other jobs two holders could not be told apart then, as both would make the same attempt.
  const asEventsFetched = Effect.orDie(
    sql`select ${sql.literal(byIndex)}, set_config('synchronous_commit', 'off', true)`
  )

  return JobSource.of({
    take: Effect.fnUntraced(function* <Payload>(kind: JobKind<Payload>, max: number) {
      const fetch = boss.use((pgBoss, { db }) => pgBoss.fetch<object>(kind.name, { batchSize: max, db }))
      // Asked for at once, in this order, so that they go out together.
      const settings = kind.name === dispatchEvent.name ? asEventsFetched : asFetched
      const [, fetched] = yield* inTransaction(Effect.all([settings, fetch], { concurrency: 2 }))
      const jobs: Array<Job<Payload>> = []
      const read = reader(kind)
      for (const job of fetched) {
        const readable = read(job)
        if (Result.isSuccess(readable)) {
          jobs.push(readable.success)
          continue
        }
        yield* Effect.logError(`The payload of job ${job.id} (${kind.name}) cannot be read`, readable.failure)
        yield* inTransaction(giveBack(kind.name, [job], UNREADABLE_DELAY_SECONDS))
      }
      held.add(jobs)
      return jobs
    }),

    // A completed job is deleted: the table then holds only what is still to be done.
    complete: Effect.fnUntraced(function* <Payload>(jobs: ReadonlyArray<Job<Payload>>) {
      const completed = new Set<string>()
      for (const [name, ofKind] of Map.groupBy(jobs, (job) => job.kind.name)) {
        const deleted = yield* boss.use((pgBoss, { db }) => pgBoss.deleteJob(name, ofKind.map(attemptOf), { db }))
        for (const id of settledIds(deleted).settled) completed.add(id)
      }
      held.remove(jobs.filter((job) => !completed.has(job.id)))
      yield* sql.afterCommit(Effect.sync(() => held.remove(jobs)))
      return completed
    }),

    oldest: ({ name }) =>
      sql<{ readonly since: Date | null }>`
        select min(created_on) as since from ${sql.literal(`${SCHEMA}.job`)}
        where name = ${name} and state in ('created', 'retry', 'active')
      `.pipe(
        Effect.orDie,
        Effect.map(([row]) => (row?.since ? DateTime.fromDateUnsafe(row.since) : undefined))
      ),

    release: (jobs, options) =>
      inTransaction(
        Effect.forEach(
          Map.groupBy(jobs, (job) => job.kind.name),
          ([name, ofKind]) => giveBack(name, ofKind.map(attemptOf), options?.delaySeconds ?? 0),
          { discard: true }
        )
      ).pipe(Effect.andThen(Effect.sync(() => held.remove(jobs))))
  })
})

/**
 * The job source over pg-boss. While this layer lives, the jobs that were taken from it are kept by a sign of life every
 * 3 s; `PgBossSupervisor`, in this or any other process, makes the jobs of lost holders due again.
 */
export const layer: Layer.Layer<JobSource, never, Boss | SqlClient.SqlClient | Signals> = Layer.effect(JobSource, make)
