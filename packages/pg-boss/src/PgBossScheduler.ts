import { Effect, Layer, Schedule } from "effect"
import { PgBoss } from "pg-boss"
import { optionsOf, type PgBossConnection } from "./connection.ts"
import { CLOCK_QUEUE, FINISHED_KEPT_SECONDS } from "./queues.ts"

/** A kind of job that comes due by the clock. */
export interface Timetable {
  readonly kind: { readonly name: string }
  /** A cron expression in UTC. */
  readonly cron: string
}

/**
 * Enqueues jobs by the clock for as long as it lives. Any number get on together: each time brings one job. A time at which
 * none was running brings one job afterwards, however many were missed. Schedules that are no longer named are dropped.
 */
export const layer = (connection: PgBossConnection, timetable: ReadonlyArray<Timetable>): Layer.Layer<never> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const boss = yield* Effect.acquireRelease(
        Effect.sync(() => {
          const made = new PgBoss({
            ...optionsOf(connection, "scheduler"),
            migrate: false,
            supervise: false,
            schedule: true
          })
          made.on("error", (error) => run(Effect.logWarning("pg-boss reports an error", error)))
          return made
        }),
        (made) => Effect.ignore(Effect.tryPromise(() => made.stop({ graceful: false })))
      )
      const start = Effect.tryPromise(async () => {
        await boss.start()
        await boss.updateQueue(CLOCK_QUEUE, { deleteAfterSeconds: FINISHED_KEPT_SECONDS })
        const kept = new Set(timetable.map(({ kind }) => kind.name))
        for (const { kind, cron } of timetable) await boss.schedule(kind.name, cron, {}, { tz: "UTC", missed: "once" })
        for (const { name } of await boss.getSchedules()) if (!kept.has(name)) await boss.unschedule(name)
      })
      yield* start.pipe(
        Effect.tapError((error) => Effect.logWarning("The scheduler could not be started", error)),
        Effect.retry(Schedule.spaced("5 seconds")),
        Effect.forkScoped
      )
    })
  )
