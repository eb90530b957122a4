import type { QueueOfJobs } from "@agent-platform/kernel"
import { untilDone } from "@agent-platform/toolkit"
import { Effect, Layer } from "effect"
import { Boss } from "./Boss.ts"
import { SINGLETON_KEY } from "./queues.ts"

/** A kind of job that comes due by the clock. */
export interface Timetable {
  readonly kind: QueueOfJobs
  /** A cron expression in UTC. */
  readonly cron: string
}

/**
 * Gives pg-boss the schedules. A `Boss` that schedules then enqueues a job each time; of a singleton none while one waits or runs.
 * Times that were missed while no `Boss` scheduled make one job afterwards, however many they were. Schedules that are not in the
 * timetable any more are removed.
 */
export const layer = (timetable: ReadonlyArray<Timetable>): Layer.Layer<never, never, Boss> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const boss = yield* Boss
      const named = new Set(timetable.map(({ kind }) => kind.name))
      const schedule = boss.use(async (pgBoss) => {
        for (const { cron, kind } of timetable) {
          const singleton = kind.isSingleton ? { singletonKey: SINGLETON_KEY } : {}
          await pgBoss.schedule(kind.name, cron, {}, { tz: "UTC", missed: "once", ...singleton })
        }
        for (const { name } of await pgBoss.getSchedules()) if (!named.has(name)) await pgBoss.unschedule(name)
      })
      yield* Effect.forkScoped(untilDone("Scheduling jobs", schedule))
    })
  )
