/** Who holds a job, for how long, and what becomes of it when the holder is gone. */

import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { defineJob, type Job, JobQueue, JobSource, UnitOfWork } from "@agent-platform/kernel"
import { assert, layer as suite } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Queue, Redacted, Schedule, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { ask, DatabaseUrl, installQueue, queueLayer, workerLayer } from "./support/queue.ts"

const aKind = Effect.gen(function* () {
  const kind = defineJob(`holders.${SecureRandom.uuidV4Unsafe().slice(0, 8)}`, Schema.Struct({}))
  yield* installQueue(kind)
  return kind
})
const enqueue = (kind: Parameters<JobQueue["Service"]["enqueue"]>[0], payload: unknown = {}) =>
  UnitOfWork.use((unit) => unit.atomic(JobQueue.use((queue) => queue.enqueue(kind, payload))))

/** A process that holds a job of this kind. */
const aHolder = (name: string) =>
  Effect.gen(function* () {
    const url = Redacted.value(yield* DatabaseUrl)
    const script = fileURLToPath(new URL("./support/holder.ts", import.meta.url))
    const flags = "Deno" in globalThis ? ["run", "-A"] : []
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [...flags, script, url, name], { stdio: ["ignore", "pipe", "inherit"] })
      ),
      (started) => Effect.sync(() => started.kill("SIGKILL"))
    )
    const [said] = yield* Effect.promise(() => once(child.stdout, "data"))
    assert.strictEqual(String(said).trim(), "holding 1")
    return child
  })

suite(queueLayer, { excludeTestServices: true, timeout: "60 seconds" })("the holder of a job", (it) => {
  it.effect("that is killed loses it to another, as soon as its heartbeats are missed", () =>
    Effect.gen(function* () {
      const kind = yield* aKind
      yield* enqueue(kind)
      const holder = yield* aHolder(kind.name)
      const retaken = yield* Deferred.make<Job<object>>()
      const other = yield* Layer.build(workerLayer(yield* DatabaseUrl, { supervises: true }))
      yield* Effect.forkScoped(
        Context.get(other, JobSource).work(kind, (job) => Effect.as(Deferred.succeed(retaken, job), "done"), {
          pollSeconds: 1
        })
      )
      holder.kill("SIGKILL")
      assert.strictEqual((yield* Deferred.await(retaken)).attempt, 2)
    })
  )

  it.effect("shows that it lives for as long as it does, and is interrupted once another has the job", () =>
    Effect.gen(function* () {
      const kind = yield* aKind
      yield* enqueue(kind)
      const given = yield* Queue.unbounded<Job<object>>()
      const interrupted = yield* Deferred.make<void>()
      const hold = (job: Job<object>) =>
        Effect.onInterrupt(Effect.andThen(Queue.offer(given, job), Effect.never), () =>
          Deferred.succeed(interrupted, undefined)
        )
      yield* Effect.forkScoped(JobSource.use((source) => source.work(kind, hold)))
      const { id } = yield* Queue.take(given)
      const job = Effect.map(
        ask((boss) => boss.findJobs(kind.name, { id })),
        ([found]) => found!
      )
      yield* Effect.repeat(job, {
        until: ({ heartbeatOn, startedOn }) => heartbeatOn!.getTime() > startedOn.getTime(),
        schedule: Schedule.spaced("100 millis")
      })
      yield* ask((boss) => boss.fail(kind.name, id))
      yield* Deferred.await(interrupted)
    })
  )

  it.effect("may give it back a thousand times", () =>
    Effect.gen(function* () {
      const kind = yield* aKind
      yield* installQueue(kind)
      const queue = yield* ask((boss) => boss.getQueue(kind.name))
      assert.isAtLeast(queue?.retryLimit ?? 0, 1_000_000)
      assert.isNotOk(queue?.deadLetter)
    })
  )

  it.effect("of a payload that this release cannot read leaves it to another, and takes the rest", () =>
    Effect.gen(function* () {
      const kind = yield* aKind
      const strict = defineJob(kind.name, Schema.Struct({ added: Schema.String }))
      yield* enqueue(kind)
      yield* enqueue(strict, { added: "later" })
      const given = yield* Queue.unbounded<unknown>()
      yield* Effect.forkScoped(
        JobSource.use((source) =>
          source.work(strict, ({ payload }) => Effect.as(Queue.offer(given, payload), "done"), { pollSeconds: 0.5 })
        )
      )
      assert.deepStrictEqual(yield* Queue.take(given), { added: "later" })
      const jobs = yield* ask((boss) => boss.findJobs(kind.name))
      const unread = jobs.filter(({ data }) => JSON.stringify(data) === "{}")
      assert.deepStrictEqual(
        unread.map(({ state }) => state === "completed"),
        [false]
      )
    })
  )
})
