/** Who holds a job, for how long, and what becomes of it when the holder is gone. */

import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { defineJob, type Job, type JobKind, JobQueue, JobSource, Signals, UnitOfWork } from "@agent-platform/kernel"
import { PgBossSupervisor } from "@agent-platform/pg-boss"
import { assert, layer as suite } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Option, Redacted, Schedule, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { HEARTBEAT_SECONDS, SWEEP_SECONDS } from "../src/queues.ts"
import { DatabaseUrl, installQueue, queueLayer, workerLayer } from "./support/queue.ts"

const aKind = Effect.gen(function* () {
  const kind = defineJob(`holders.${SecureRandom.uuidV4Unsafe().slice(0, 8)}`, Schema.Struct({}))
  yield* installQueue(kind)
  return kind
})
const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>) => UnitOfWork.use((unit) => unit.atomic(effect))
const enqueue = (kind: JobKind<object>) => atomic(JobQueue.use((queue) => queue.enqueue(kind, {})))
const take = (kind: JobKind<object>, max = 10) => JobSource.use((source) => source.take(kind, max))
const complete = (jobs: ReadonlyArray<Job<object>>) => JobSource.use((source) => source.complete(jobs))

/** Takes until there is a job, woken by signals. */
const takeSoon = (kind: JobKind<object>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const next = yield* Signals.use((signals) => signals.listen(kind.name))
      while (true) {
        const jobs = yield* take(kind)
        if (jobs.length > 0) return jobs
        yield* next(30)
      }
    })
  )

/** A process that has taken a job of this kind. */
const aHolder = (kind: JobKind<object>) =>
  Effect.gen(function* () {
    const url = Redacted.value(yield* DatabaseUrl)
    const script = fileURLToPath(new URL("./support/holder.ts", import.meta.url))
    const flags = "Deno" in globalThis ? ["run", "-A"] : []
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [...flags, script, url, kind.name], { stdio: ["ignore", "pipe", "inherit"] })
      ),
      (started) => Effect.sync(() => started.kill("SIGKILL"))
    )
    const [said] = yield* Effect.promise(() => once(child.stdout, "data"))
    assert.strictEqual(String(said).trim(), "holding 1")
    return child
  })

/** Takes jobs as a process that is then gone: nothing keeps them any more. */
const takeAndVanish = (kind: JobKind<object>, max: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const worker = yield* Layer.build(workerLayer(yield* DatabaseUrl))
      return yield* Context.get(worker, JobSource).take(kind, max)
    })
  )

/** Makes jobs look as if their holder had been silent for so long. */
const age = (seconds: number, ...jobs: ReadonlyArray<Job<object>>) =>
  SqlClient.SqlClient.use(
    (sql) =>
      sql`
      update pgboss.job set heartbeat_on = heartbeat_on - ${`${seconds} seconds`}::interval
      where state = 'active' and id = any(${jobs.map((job) => job.id)}::uuid[])
    `
  )

suite(queueLayer, { excludeTestServices: true, timeout: "60 seconds" })("the holder of a job", (it) => {
  it.effect(
    "that is killed loses it to another",
    () =>
      Effect.gen(function* () {
        const kind = yield* aKind
        yield* Layer.build(PgBossSupervisor.layer({ url: yield* DatabaseUrl }))
        yield* enqueue(kind)
        const holder = yield* aHolder(kind)
        assert.isEmpty(yield* take(kind))
        holder.kill("SIGKILL")
        const [job] = yield* takeSoon(kind)
        assert.strictEqual(job?.attempt, 2)
        assert.strictEqual((yield* atomic(complete([job!]))).size, 1)
      }),
    40_000
  )

  it.effect("is given so long to show that it lives that another has the job within 15 seconds", () =>
    Effect.gen(function* () {
      const kind = yield* aKind
      const sql = yield* SqlClient.SqlClient
      yield* enqueue(kind)
      const [taken] = yield* take(kind)
      const [job] = yield* sql<{ readonly seconds: number }>`
        select heartbeat_seconds as seconds from pgboss.job where id = ${taken?.id}
      `
      assert.isAtMost(Number(job?.seconds) + SWEEP_SECONDS, 15)
      // And who lives has a second chance to say so.
      assert.isBelow(2 * HEARTBEAT_SECONDS, Number(job?.seconds))
    })
  )

  it.effect("keeps it for as long as it lives, beside two supervisors", () =>
    Effect.gen(function* () {
      const kind = yield* aKind
      const sql = yield* SqlClient.SqlClient
      const url = yield* DatabaseUrl
      const worker = yield* Layer.build(workerLayer(url))
      yield* enqueue(kind)
      const jobs = yield* Context.get(worker, JobSource).take(kind, 1)
      // Nearly lost: the next sign of life, at most 3 s away, must come before the sweeps find it, 9 s from now.
      yield* Layer.build(PgBossSupervisor.layer({ url }))
      yield* Layer.build(PgBossSupervisor.layer({ url }))
      yield* age(1, ...jobs)
      const beat = sql<{ readonly beat: boolean }>`
        select heartbeat_on > now() - interval '1 second' as beat from pgboss.job where id = ${jobs[0]?.id}
      `
      while ((yield* beat)[0]?.beat !== true) yield* Effect.promise(() => new Promise(setImmediate))
      assert.isEmpty(yield* take(kind))
      assert.strictEqual((yield* atomic(Context.get(worker, JobSource).complete(jobs))).size, 1)
    })
  )

  it.effect("cannot complete it any more once another has it", () =>
    Effect.gen(function* () {
      const kind = yield* aKind
      yield* Layer.build(PgBossSupervisor.layer({ url: yield* DatabaseUrl }))
      yield* enqueue(kind)
      const stale = yield* takeAndVanish(kind, 1)
      yield* age(60, ...stale)
      const fresh = yield* takeSoon(kind)
      assert.strictEqual((yield* atomic(complete(stale))).size, 0)
      assert.strictEqual((yield* atomic(complete(fresh))).size, 1)
    })
  )

  it.effect("loses it once when several supervisors look at the same moment", () =>
    Effect.gen(function* () {
      const kind = yield* aKind
      yield* Effect.forEach(Array.from({ length: 20 }), () => enqueue(kind))
      const stale = yield* takeAndVanish(kind, 20)
      assert.strictEqual(stale.length, 20)
      yield* age(60, ...stale)
      const url = yield* DatabaseUrl
      yield* Effect.forEach([1, 2, 3], () => Layer.build(PgBossSupervisor.layer({ url })), { concurrency: 3 })
      const attempts: Array<number> = []
      while (attempts.length < 20) attempts.push(...(yield* takeSoon(kind)).map((job) => job.attempt))
      assert.deepStrictEqual(new Set(attempts), new Set([2]))
    })
  )

  // A row that a transaction completes is locked: the sweep and the signs of life of other jobs must not wait for it.
  it.effect("of another job is not lost behind a transaction that takes long to complete one", () =>
    Effect.gen(function* () {
      const kind = yield* aKind
      yield* enqueue(kind)
      yield* enqueue(kind)
      const jobs = yield* takeAndVanish(kind, 2)
      const [slow, lost] = jobs
      yield* age(60, ...jobs)
      const [locked, over] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* Effect.forkScoped(
        atomic(
          complete([slow!]).pipe(
            Effect.andThen(Deferred.succeed(locked, undefined)),
            Effect.andThen(Deferred.await(over))
          )
        )
      )
      yield* Deferred.await(locked)
      yield* Layer.build(PgBossSupervisor.layer({ url: yield* DatabaseUrl }))
      const retaken = yield* takeSoon(kind).pipe(Effect.timeoutOption("10 seconds"))
      yield* Deferred.succeed(over, undefined)
      assert.deepStrictEqual(
        Option.getOrElse(retaken, () => []).map((job) => job.id),
        [lost!.id]
      )
    })
  )

  it.effect("may give it back a thousand times", () =>
    Effect.gen(function* () {
      const kind = yield* aKind
      const sql = yield* SqlClient.SqlClient
      const source = yield* JobSource
      yield* enqueue(kind)
      yield* source.release(yield* take(kind))
      yield* sql`update pgboss.job set retry_count = 1000 where name = ${kind.name}`
      yield* source.release(yield* take(kind))
      assert.strictEqual((yield* take(kind))[0]?.attempt, 1003)
    })
  )

  it.effect("that fails to give it back shows no life for it any more", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const source = yield* JobSource
      const kind = yield* aKind
      yield* enqueue(kind)
      yield* enqueue(kind)
      const [kept, given] = yield* take(kind)
      const failing = atomic(Effect.andThen(Effect.exit(sql`select 1 / 0`), Effect.exit(source.release([given!]))))
      assert.strictEqual((yield* Effect.exit(failing))._tag, "Failure")
      yield* age(1, kept!, given!)
      const silence = (job: Job<object>) =>
        Effect.map(
          sql<{ readonly seconds: number }>`
            select extract(epoch from now() - heartbeat_on)::float8 as seconds from pgboss.job where id = ${job.id}
          `,
          ([row]) => row!.seconds
        )
      // One statement shows the life of all, so that what is not shown with the one that is held is not shown.
      yield* Effect.repeat(Effect.orDie(silence(kept!)), {
        until: (seconds) => seconds < 1,
        schedule: Schedule.spaced("10 millis")
      })
      assert.isAtLeast(yield* silence(given!), 1)
    })
  )

  it.effect("gives it back for later", () =>
    Effect.gen(function* () {
      const kind = yield* aKind
      const sql = yield* SqlClient.SqlClient
      const source = yield* JobSource
      yield* enqueue(kind)
      const jobs = yield* take(kind)
      yield* source.release(jobs, { delaySeconds: 90 })
      assert.isEmpty(yield* take(kind))
      const [row] = yield* sql<{ readonly seconds: number }>`
        select extract(epoch from start_after - now())::float8 as seconds from pgboss.job where name = ${kind.name}
      `
      assert.approximately(row?.seconds ?? 0, 90, 5)
      assert.strictEqual((yield* atomic(source.complete(jobs))).size, 0)
    })
  )

  it.effect("of one of many is the only one, however many take at once", () =>
    Effect.gen(function* () {
      const kind = yield* aKind
      const payloads = Array.from({ length: 95 }, () => ({}))
      yield* atomic(JobQueue.use((queue) => Effect.forEach(payloads, (payload) => queue.enqueue(kind, payload))))
      const taking = Array.from({ length: 12 }, () => take(kind, 9))
      const taken = (yield* Effect.all(taking, { concurrency: "unbounded" })).flat()
      const rest = yield* take(kind, payloads.length)
      const ids = [...taken, ...rest].map((job) => job.id)
      assert.deepStrictEqual([ids.length, new Set(ids).size], [payloads.length, payloads.length])
      yield* enqueue(kind)
      const [one, other] = yield* Effect.all([take(kind), take(kind)], { concurrency: 2 })
      assert.strictEqual(one.length + other.length, 1)
    })
  )

  it.effect("of a payload that this release cannot read leaves it to another, and takes the rest", () =>
    Effect.gen(function* () {
      const kind = yield* aKind
      const strict = defineJob(kind.name, Schema.Struct({ added: Schema.String }))
      yield* enqueue(kind)
      yield* atomic(JobQueue.use((queue) => queue.enqueue(strict, { added: "later" })))
      const jobs = yield* JobSource.use((source) => source.take(strict, 10))
      assert.deepStrictEqual(
        jobs.map((job) => job.payload),
        [{ added: "later" }]
      )
      const sql = yield* SqlClient.SqlClient
      const waiting = yield* sql`
        select 1 from pgboss.job where name = ${kind.name} and state = 'retry' and start_after > now()
      `
      assert.strictEqual(waiting.length, 1)
    })
  )
})
