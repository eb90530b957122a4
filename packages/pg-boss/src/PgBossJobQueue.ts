import { JobQueue, Signals } from "@agent-platform/kernel"
import { DateTime, Effect, Layer, Schema } from "effect"
import { Boss } from "./Boss.ts"
import { SINGLETON_KEY } from "./queues.ts"

/**
 * The job queue over pg-boss: a job is sent on the connection of the caller's transaction, and its workers are woken
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
        const priority = options?.priority ?? 0
        const startAfter = options?.runAt === undefined ? 0 : DateTime.toDateUtc(options.runAt)
        const isKept = yield* boss.use(async (pgBoss, { db }) => {
          const given = { db, priority, startAfter }
          if (!kind.isSingleton) return (await pgBoss.send(kind.name, data, given)) !== null
          const { inserted, updated } = await pgBoss.upsert(kind.name, data, { ...given, singletonKey: SINGLETON_KEY })
          return inserted + updated > 0
        })
        yield* signals.raise(kind.name)
        return isKept
      })
    })
  })
)
