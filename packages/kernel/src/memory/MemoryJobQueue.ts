import { DateTime, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { JobQueue } from "../ports/JobQueue.ts"
import { JobSource } from "../ports/JobSource.ts"
import { Signals } from "../ports/Signals.ts"
import { heldRow, removeHeld } from "./heldRows.ts"
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

const make = Effect.gen(function* () {
  const database = yield* MemoryDatabase
  const signals = yield* Signals
  const random = yield* SecureRandom.SecureRandom
  const jobs = database.table<JobRow>("job")
  const now = Effect.map(DateTime.now, DateTime.toEpochMillis)

  const queue = JobQueue.of({
    enqueue: (kind, payload, options) =>
      Effect.gen(function* () {
        const id = yield* random.uuidV7()
        yield* jobs.put(id, {
          id,
          name: kind.name,
          payload: Schema.encodeSync(kind.payload)(payload),
          priority: options?.priority ?? 0,
          dueAt: options?.runAt === undefined ? yield* now : DateTime.toEpochMillis(options.runAt),
          attempt: 0,
          taken: false
        })
        yield* signals.raise(kind.name)
      })
  })

  const source = JobSource.of({
    take: (kind, max) =>
      database.atomic(
        Effect.gen(function* () {
          const time = yield* now
          const due = (yield* jobs.all)
            .filter((row) => row.name === kind.name && !row.taken && row.dueAt <= time)
            .sort((a, b) => b.priority - a.priority)
            .slice(0, max)
          return yield* Effect.forEach(due, (row) => {
            const attempt = row.attempt + 1
            const payload = Schema.decodeUnknownSync(kind.payload)(row.payload)
            return Effect.as(jobs.put(row.id, { ...row, taken: true, attempt }), { id: row.id, kind, payload, attempt })
          })
        })
      ),
    complete: (done) => removeHeld(jobs, done),
    release: (undone, options) =>
      database.atomic(
        Effect.gen(function* () {
          const dueAt = (yield* now) + (options?.delaySeconds ?? 0) * 1000
          for (const job of undone) {
            const row = yield* heldRow(jobs, job)
            if (row === undefined) continue
            yield* jobs.put(row.id, { ...row, taken: false, dueAt })
            yield* signals.raise(row.name)
          }
        })
      )
  })
  return { queue, source }
})

/** The job queue over a `MemoryDatabase`. Its holders share its process, so none is ever lost alone. */
export const layerJobQueue: Layer.Layer<
  JobQueue | JobSource,
  never,
  MemoryDatabase | Signals | SecureRandom.SecureRandom
> = Layer.unwrap(
  Effect.map(make, ({ queue, source }) => Layer.merge(Layer.succeed(JobQueue, queue), Layer.succeed(JobSource, source)))
)
