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
 * Tells pg-boss what comes due when. A `Boss` that schedules then enqueues it: each time brings one job, and none while one
 * of a singleton waits or is under way. Times at which none was running bring one job afterwards, however many were missed.
 * Schedules that are no longer named are dropped.
 */
export const layer = (timetable: ReadonlyArray<Timetable>): Layer.Layer<never, never, Boss> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const boss = yield* Boss
      const named = new Set(timetable.map(({ kind }) => kind.name))
      const told = boss.use(async (pgBoss) => {
        for (const { cron, kind } of timetable) {
          const singleton = kind.isSingleton ? { singletonKey: SINGLETON_KEY } : {}
          await pgBoss.schedule(kind.name, cron, {}, { tz: "UTC", missed: "once", ...singleton })
        }
        for (const { name } of await pgBoss.getSchedules()) if (!named.has(name)) await pgBoss.unschedule(name)
      })
      yield* Effect.forkScoped(untilDone("Telling pg-boss what is due when", told))
    })
  )
