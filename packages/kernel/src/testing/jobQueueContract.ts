import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, Fiber, type Layer, Queue, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { defineJob, type Job, type JobKind, type JobOutcome, type JobSettings } from "../Job.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { JobSource, type WorkOptions } from "../ports/JobSource.ts"
import type { Signals } from "../ports/Signals.ts"
import { atomic, type UnitOfWork } from "../ports/UnitOfWork.ts"

interface Payload {
  readonly note: string
}

type Handler = (job: Job<Payload>) => Effect.Effect<JobOutcome>

const payload = Schema.Struct({ note: Schema.String })
const done: Handler = () => Effect.succeed("done")

/**
 * Holds a job queue to its ports. `prepare` makes a queue of the given kind ready, for adapters that keep settings
 * per queue.
 */
export const jobQueueContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<UnitOfWork | JobQueue | JobSource | Signals, E>,
  prepare: (kind: JobKind<Payload>) => Effect.Effect<void> = () => Effect.void
) =>
  describe(`job queue over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true, timeout: "30 seconds" })((it) => {
      const aKind = Effect.fnUntraced(function* (settings?: Partial<JobSettings>) {
        const kind = defineJob(`contract.${SecureRandom.uuidV4Unsafe().slice(0, 8)}`, payload, settings)
        yield* prepare(kind)
        return kind
      })
      const enqueue = (
        kind: JobKind<Payload>,
        note: string,
        options?: { readonly runAt?: DateTime.Utc; readonly priority?: number }
      ) => JobQueue.use((queue) => queue.enqueue(kind, { note }, options))
      const doNow = <A, E2>(kind: JobKind<Payload>, handle: (job: Job<Payload>) => Effect.Effect<A, E2>) =>
        JobSource.use((source) => source.doNow(kind, { note: "now" }, handle))

      /** A worker, and the jobs that it was given, in that order. */
      const working = Effect.fnUntraced(function* (
        kind: JobKind<Payload>,
        handle: Handler = done,
        options?: WorkOptions
      ) {
        const given = yield* Queue.unbounded<Job<Payload>>()
        const source = yield* JobSource
        const fiber = yield* Effect.forkScoped(
          source.work(kind, (job) => Effect.andThen(Queue.offer(given, job), handle(job)), {
            pollSeconds: 0.5,
            ...options
          })
        )
        const next = Queue.take(given)
        return { next, note: Effect.map(next, (job) => job.payload.note), stop: Fiber.interrupt(fiber) }
      })

      it.effect("does a job once the transaction that enqueued it has committed, and never one whose failed", () =>
        Effect.gen(function* () {
          const kind = yield* aKind()
          yield* Effect.exit(atomic(Effect.andThen(enqueue(kind, "lost"), Effect.fail("refused"))))
          assert.isTrue(yield* atomic(enqueue(kind, "hello")))
          const worker = yield* working(kind)
          const job = yield* worker.next
          assert.deepStrictEqual([job.payload, job.attempt], [{ note: "hello" }, 1])
          yield* atomic(enqueue(kind, "next"))
          assert.strictEqual(yield* worker.note, "next")
        })
      )

      it.effect("gives a job to one of many workers", () =>
        Effect.gen(function* () {
          const kind = yield* aKind()
          const notes = Array.from({ length: 24 }, (_, index) => `${index}`)
          yield* atomic(Effect.forEach(notes, (note) => enqueue(kind, note)))
          const workers = yield* Effect.forEach([1, 2, 3], () => working(kind, done, { concurrencyMax: 4 }))
          const all = yield* Queue.unbounded<string>()
          for (const { note } of workers) {
            yield* Effect.forkScoped(Effect.forever(Effect.flatMap(note, (one) => Queue.offer(all, one))))
          }
          const given = yield* Effect.forEach(notes, () => Queue.take(all))
          assert.sameMembers(given, notes)
        })
      )

      it.effect("does as many at once as it is told to", () =>
        Effect.gen(function* () {
          const kind = yield* aKind()
          const worker = yield* working(kind, () => Effect.never, { concurrencyMax: 2 })
          const third = yield* working(kind, () => Effect.never)
          yield* atomic(Effect.forEach(["a", "b", "c"], (note) => enqueue(kind, note)))
          assert.lengthOf(yield* Effect.all([worker.next, worker.next, third.next]), 3)
        })
      )

      it.effect("holds a job back until its time", () =>
        Effect.gen(function* () {
          const kind = yield* aKind()
          const now = yield* DateTime.now
          yield* atomic(enqueue(kind, "later", { runAt: DateTime.add(now, { hours: 1 }) }))
          yield* atomic(enqueue(kind, "soon", { runAt: DateTime.add(now, { seconds: 2 }) }))
          yield* atomic(enqueue(kind, "now"))
          const { note } = yield* working(kind)
          assert.deepStrictEqual(yield* Effect.all([note, note]), ["now", "soon"])
          assert.isAtLeast(DateTime.toEpochMillis(yield* DateTime.now), DateTime.toEpochMillis(now) + 2_000)
        })
      )

      it.effect("gives out the higher priority first", () =>
        Effect.gen(function* () {
          const kind = yield* aKind()
          yield* atomic(enqueue(kind, "low", { priority: 1 }))
          yield* atomic(enqueue(kind, "high", { priority: 5 }))
          const { note } = yield* working(kind)
          assert.deepStrictEqual(yield* Effect.all([note, note]), ["high", "low"])
        })
      )

      it.effect("tries a job again that is handed back or dies, and none that is done", () =>
        Effect.gen(function* () {
          const kind = yield* aKind()
          yield* atomic(enqueue(kind, "again"))
          const handlers: ReadonlyArray<Handler> = [() => Effect.succeed("again"), () => Effect.die("fault"), done]
          const worker = yield* working(kind, (job: Job<Payload>) => handlers[job.attempt - 1]!(job))
          const jobs = yield* Effect.all([worker.next, worker.next, worker.next])
          assert.deepStrictEqual(
            jobs.map(({ attempt }) => attempt),
            [1, 2, 3]
          )
          assert.lengthOf(new Set(jobs.map(({ id }) => id)), 1)
          yield* atomic(enqueue(kind, "next", { runAt: DateTime.add(yield* DateTime.now, { seconds: 3 }) }))
          assert.strictEqual(yield* worker.note, "next")
        })
      )

      it.effect("waits with the next try for as long as the kind says, longer each time", () =>
        Effect.gen(function* () {
          const kind = yield* aKind({ retrySeconds: 1, retrySecondsMax: 60 })
          yield* atomic(enqueue(kind, "again"))
          const times: Array<number> = []
          const worker = yield* working(kind, () =>
            Effect.map(DateTime.now, (now) => {
              times.push(DateTime.toEpochMillis(now))
              return times.length < 3 ? "again" : "done"
            })
          )
          yield* Effect.all([worker.next, worker.next, worker.next])
          assert.isAtLeast(times[1]! - times[0]!, 1_000)
          assert.isAtLeast(times[2]! - times[1]!, 2_000)
        })
      )

      it.effect("interrupts the handlers of a worker that is stopped, and gives their jobs to another", () =>
        Effect.gen(function* () {
          const kind = yield* aKind()
          yield* atomic(enqueue(kind, "kept"))
          let interrupted = false
          const first = yield* working(kind, () =>
            Effect.onInterrupt(Effect.never, () =>
              Effect.sync(() => {
                interrupted = true
              })
            )
          )
          const given = yield* first.next
          yield* first.stop
          assert.isTrue(interrupted)
          const second = yield* working(kind)
          assert.deepInclude(yield* second.next, { id: given.id, attempt: 2 })
        })
      )

      it.effect("keeps one job of a singleton, which the last who enqueues decides on", () =>
        Effect.gen(function* () {
          const kind = yield* aKind({ isSingleton: true })
          const later = DateTime.add(yield* DateTime.now, { hours: 1 })
          assert.isTrue(yield* atomic(enqueue(kind, "first", { runAt: later })))
          assert.isTrue(yield* atomic(enqueue(kind, "second")))
          const go = yield* Queue.unbounded<JobOutcome>()
          const worker = yield* working(kind, () => Queue.take(go))
          assert.strictEqual(yield* worker.note, "second")
          assert.isFalse(yield* atomic(enqueue(kind, "while it is done")))
          yield* Queue.offer(go, "done")
          while (!(yield* atomic(enqueue(kind, "third")))) yield* Effect.sleep("20 millis")
          assert.strictEqual(yield* worker.note, "third")
        })
      )

      it.effect("does a singleton here and now, be it that one waits for its time or that there is none", () =>
        Effect.gen(function* () {
          const kind = yield* aKind({ isSingleton: true })
          yield* atomic(enqueue(kind, "waits", { runAt: DateTime.add(yield* DateTime.now, { hours: 1 }) }))
          assert.strictEqual(
            yield* doNow(kind, ({ attempt }) => Effect.succeed(`done by try ${attempt}`)),
            "done by try 1"
          )
          assert.strictEqual(yield* doNow(kind, ({ payload }) => Effect.succeed(payload.note)), "now")
          const worker = yield* working(kind)
          yield* atomic(enqueue(kind, "next"))
          assert.strictEqual(yield* worker.note, "next")
        })
      )

      it.effect("refuses to do a singleton that is under way, of any number at once all but one", () =>
        Effect.gen(function* () {
          const kind = yield* aKind({ isSingleton: true })
          yield* atomic(enqueue(kind, "by a worker"))
          const worker = yield* working(kind, () => Effect.never)
          yield* worker.next
          assert.deepInclude(yield* Effect.flip(doNow(kind, done)), { _tag: "JobAlreadyRunning", name: kind.name })
          const other = yield* aKind({ isSingleton: true })
          const go = yield* Queue.unbounded<JobOutcome>()
          const ends = yield* Queue.unbounded<string>()
          for (let count = 0; count < 8; count++) {
            const trying = Effect.result(doNow(other, () => Queue.take(go)))
            yield* Effect.forkScoped(Effect.flatMap(trying, (result) => Queue.offer(ends, result._tag)))
          }
          for (let count = 0; count < 7; count++) assert.strictEqual(yield* Queue.take(ends), "Failure")
          yield* Queue.offer(go, "done")
          assert.strictEqual(yield* Queue.take(ends), "Success")
        })
      )

      it.effect("leaves a singleton in the queue that was not brought to its end by hand", () =>
        Effect.gen(function* () {
          const kind = yield* aKind({ isSingleton: true })
          assert.strictEqual(yield* Effect.flip(doNow(kind, () => Effect.fail("fault"))), "fault")
          const worker = yield* working(kind)
          assert.deepInclude(yield* worker.next, { attempt: 2, payload: { note: "now" } })
        })
      )

      it.effect("wakes a worker after the commit", () =>
        Effect.gen(function* () {
          const kind = yield* aKind()
          yield* atomic(enqueue(kind, "first"))
          const worker = yield* working(kind, done, { pollSeconds: 60 })
          yield* worker.next
          yield* atomic(enqueue(kind, "wake"))
          const woken = yield* Effect.timeoutOption(worker.next, "10 seconds")
          assert.strictEqual(woken._tag, "Some")
        })
      )
    })
  })
