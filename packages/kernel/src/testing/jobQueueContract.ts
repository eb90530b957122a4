import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { defineJob, type JobKind } from "../Job.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { JobSource } from "../ports/JobSource.ts"
import { Signals } from "../ports/Signals.ts"
import { UnitOfWork } from "../ports/UnitOfWork.ts"

interface Payload {
  readonly note: string
}

const payload = Schema.Struct({ note: Schema.String })

/**
 * What every job queue must hold. `prepare` makes a queue of the given name ready, for adapters that keep settings
 * per queue.
 */
export const jobQueueContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<UnitOfWork | JobQueue | JobSource | Signals, E>,
  prepare: (kind: JobKind<Payload>) => Effect.Effect<void> = () => Effect.void
) =>
  describe(`job queue over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const aKind = Effect.gen(function* () {
        const kind = defineJob(`contract.${SecureRandom.uuidV4Unsafe().slice(0, 8)}`, payload)
        yield* prepare(kind)
        return kind
      })
      const atomic = <A, E2, R>(effect: Effect.Effect<A, E2, R>) => UnitOfWork.use((unit) => unit.atomic(effect))
      const enqueue = (
        kind: JobKind<Payload>,
        note: string,
        options?: { readonly runAt?: DateTime.Utc; readonly priority?: number }
      ) => JobQueue.use((queue) => queue.enqueue(kind, { note }, options))
      const take = (kind: JobKind<Payload>, max: number) => JobSource.use((source) => source.take(kind, max))
      const complete = (jobs: Parameters<JobSource["Service"]["complete"]>[0]) =>
        atomic(JobSource.use((source) => source.complete(jobs)))

      it.effect("hands out a job once the transaction that enqueued it has committed", () =>
        Effect.gen(function* () {
          const kind = yield* aKind
          yield* atomic(enqueue(kind, "hello"))
          const [job] = yield* take(kind, 10)
          assert.deepStrictEqual(job?.payload, { note: "hello" })
        })
      )

      it.effect("never hands out a job whose transaction failed", () =>
        Effect.gen(function* () {
          const kind = yield* aKind
          yield* Effect.exit(atomic(Effect.andThen(enqueue(kind, "lost"), Effect.fail("refused"))))
          assert.isEmpty(yield* take(kind, 10))
        })
      )

      it.effect("hands a job to one of many who take at once", () =>
        Effect.gen(function* () {
          const kind = yield* aKind
          yield* atomic(Effect.forEach(Array.from({ length: 40 }), (_, index) => enqueue(kind, `${index}`)))
          const taken = yield* Effect.forEach(Array.from({ length: 8 }), () => take(kind, 10), {
            concurrency: "unbounded"
          })
          const notes = taken.flat().map((job) => job.payload.note)
          assert.strictEqual(new Set(notes).size, notes.length)
          assert.strictEqual(notes.length, 40)
        })
      )

      it.effect("holds a job back until its time", () =>
        Effect.gen(function* () {
          const kind = yield* aKind
          const later = DateTime.add(yield* DateTime.now, { hours: 1 })
          yield* atomic(enqueue(kind, "later", { runAt: later }))
          yield* atomic(enqueue(kind, "now"))
          assert.deepStrictEqual(
            (yield* take(kind, 10)).map((job) => job.payload.note),
            ["now"]
          )
        })
      )

      it.effect("hands out the higher priority first", () =>
        Effect.gen(function* () {
          const kind = yield* aKind
          yield* atomic(enqueue(kind, "low", { priority: 1 }))
          yield* atomic(enqueue(kind, "high", { priority: 5 }))
          assert.deepStrictEqual(
            (yield* take(kind, 1)).map((job) => job.payload.note),
            ["high"]
          )
        })
      )

      it.effect("does not hand out a completed job again", () =>
        Effect.gen(function* () {
          const kind = yield* aKind
          yield* atomic(enqueue(kind, "done"))
          const jobs = yield* take(kind, 1)
          assert.strictEqual((yield* complete(jobs)).size, 1)
          assert.isEmpty(yield* take(kind, 1))
        })
      )

      it.effect("keeps a job held when the transaction that completes it fails", () =>
        Effect.gen(function* () {
          const kind = yield* aKind
          yield* atomic(enqueue(kind, "undone"))
          const jobs = yield* take(kind, 1)
          yield* Effect.exit(
            atomic(
              Effect.andThen(
                JobSource.use((source) => source.complete(jobs)),
                Effect.fail("refused")
              )
            )
          )
          assert.isEmpty(yield* take(kind, 1))
          assert.strictEqual((yield* complete(jobs)).size, 1)
        })
      )

      it.effect("hands out a released job again, as another attempt", () =>
        Effect.gen(function* () {
          const kind = yield* aKind
          yield* atomic(enqueue(kind, "again"))
          const [first] = yield* take(kind, 1)
          yield* JobSource.use((source) => source.release([first!]))
          const [second] = yield* take(kind, 1)
          assert.strictEqual(second?.id, first?.id)
          assert.notStrictEqual(second?.attempt, first?.attempt)
        })
      )

      it.effect("does not let an earlier holder complete a job that was retaken", () =>
        Effect.gen(function* () {
          const kind = yield* aKind
          yield* atomic(enqueue(kind, "fenced"))
          const stale = yield* take(kind, 1)
          yield* JobSource.use((source) => source.release(stale))
          const fresh = yield* take(kind, 1)
          assert.strictEqual((yield* complete(stale)).size, 0)
          assert.strictEqual((yield* complete(fresh)).size, 1)
        })
      )

      it.effect("wakes a listener after the commit", () =>
        Effect.gen(function* () {
          const kind = yield* aKind
          const signals = yield* Signals
          const next = yield* signals.listen(kind.name)
          yield* atomic(enqueue(kind, "wake"))
          const woken = yield* Effect.timeoutOption(next(60), "10 seconds")
          assert.strictEqual(woken._tag, "Some")
        })
      )
    })
  })
