import type { QueueOfJobs } from "@agent-platform/kernel"
import { gauge } from "@agent-platform/toolkit"
import { Effect, Metric } from "effect"
import { Boss } from "./Boss.ts"

const queueJobs = gauge(
  "agent_platform_queue_jobs",
  "Jobs of a queue by state (ready, deferred, active), as pg-boss's monitor counted them within the last seconds.",
  ["queue", "state"]
)

/** All of them, for the documentation. */
export const QUEUE_MEASURES = [queueJobs]

/** Brings the counts of these queues up to date. */
const readQueueCounts = (queues: ReadonlyArray<QueueOfJobs>): Effect.Effect<void, never, Boss> =>
  Effect.gen(function* () {
    const boss = yield* Boss
    const found = yield* boss.use((pgBoss) => pgBoss.getQueues())
    for (const { name } of queues) {
      const queue = found.find((one) => one.name === name)
      const counts = { ready: queue?.readyCount, deferred: queue?.deferredCount, active: queue?.activeCount }
      for (const [state, count] of Object.entries(counts)) {
        yield* Metric.update(queueJobs.of({ queue: name, state }), count ?? 0)
      }
    }
  })

/** The counts of these queues as a reading among a process's metrics. */
export const queueReading = (queues: ReadonlyArray<QueueOfJobs>) => ({
  name: "queue_jobs",
  read: readQueueCounts(queues)
})
