import { JobQueue, Signals } from "@agent-platform/kernel"
import { DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { jobStatements } from "./jobStatements.ts"

/**
 * The job queue over pg-boss: a job is one INSERT on the connection of the caller's transaction, and its workers are woken
 * after the commit. The queue of its kind must have been made by `install`.
 */
export const layer: Layer.Layer<JobQueue, never, SqlClient.SqlClient | Signals> = Layer.effect(
  JobQueue,
  Effect.gen(function* () {
    const statements = jobStatements(yield* SqlClient.SqlClient)
    const signals = yield* Signals
    return JobQueue.of({
      enqueue: (kind, payload, options) =>
        Effect.suspend(() => {
          const text = JSON.stringify(Schema.encodeSync(kind.payload)(payload))
          const startAfter = options?.runAt === undefined ? null : DateTime.toDateUtc(options.runAt)
          const insert = statements.insert(kind.name, text, { priority: options?.priority ?? 0, startAfter })
          return Effect.andThen(Effect.orDie(insert), signals.raise(kind.name))
        })
    })
  })
)
