import { JobQueue, Signals } from "@agent-platform/kernel"
import { DateTime, Effect, Layer, Schema } from "effect"
import { Boss } from "./Boss.ts"

/**
 * The job queue over pg-boss: a job is one INSERT on the connection of the caller's transaction, and its workers are woken
 * after the commit. The queue of its kind must have been made by `install`.
 */
export const layer: Layer.Layer<JobQueue, never, Boss | Signals> = Layer.effect(
  JobQueue,
  Effect.gen(function* () {
    const boss = yield* Boss
    const signals = yield* Signals
    return JobQueue.of({
      enqueue: Effect.fnUntraced(function* (kind, payload, options) {
        const data = Schema.encodeSync(kind.payload)(payload) as object
        yield* boss.use((pgBoss, { db }) =>
          pgBoss.send(kind.name, data, {
            db,
            priority: options?.priority ?? 0,
            ...(options?.runAt && { startAfter: DateTime.toDateUtc(options.runAt) })
          })
        )
        yield* signals.raise(kind.name)
      }),
      enqueueAll: Effect.fnUntraced(function* (kind, payloads) {
        if (payloads.length === 0) return
        const encode = Schema.encodeSync(kind.payload)
        const jobs = payloads.map((payload) => ({ data: encode(payload) as object }))
        yield* boss.use((pgBoss, { db }) => pgBoss.insert(kind.name, jobs, { db }))
        yield* signals.raise(kind.name)
      })
    })
  })
)
