/** Metrics of a process itself: memory, processor time, and how long its one thread keeps others waiting. */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { counter, gauge } from "@agent-platform/toolkit"
import { Effect, Metric, type Scope } from "effect"

const residentMemory = gauge("process_resident_memory_bytes", "Memory of the process that is in RAM.")

const heapUsed = gauge("process_heap_used_bytes", "What of it JavaScript's values take.")

const cpuSeconds = counter(
  "process_cpu_seconds_total",
  "Processor time of the process, of its user and of the system together."
)

const startTime = gauge("process_start_time_seconds", "When the process started, in seconds since 1970.")

const eventLoopLag = gauge(
  "process_event_loop_lag_seconds",
  "By how much timers were late since the last look: the median, the 99th percentile and the maximum (p50, p99, max).",
  ["late"]
)

/** All of them, for the documentation. */
export const PROCESS_MEASURES = [residentMemory, heapUsed, cpuSeconds, startTime, eventLoopLag]

/** The values of the label `late`. It is not called `quantile`, which is for summaries. */
const LATENESS = [
  ["p50", 50],
  ["p99", 99],
  ["max", 100]
] as const

/** How often the event loop is looked at. */
const RESOLUTION_MILLIS = 20

/** Watches the process until the scope closes. The effect that it returns updates the measures. */
export const watchProcess: Effect.Effect<Effect.Effect<void>, never, Scope.Scope> = Effect.gen(function* () {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MILLIS })
  yield* Effect.acquireRelease(
    Effect.sync(() => delay.enable()),
    () => Effect.sync(() => delay.disable())
  )
  yield* Metric.update(startTime.of({}), Date.now() / 1000 - process.uptime())
  let counted = 0
  return Effect.gen(function* () {
    const { heapUsed: heap, rss } = process.memoryUsage()
    const { system, user } = process.cpuUsage()
    const spent = (system + user) / 1e6
    yield* Metric.update(residentMemory.of({}), rss)
    yield* Metric.update(heapUsed.of({}), heap)
    yield* Metric.update(cpuSeconds.of({}), Math.max(0, spent - counted))
    counted = spent
    for (const [late, percent] of LATENESS) {
      // `delay` has the nanoseconds between two looks: `RESOLUTION_MILLIS` where the timer was on time.
      const lateMillis = delay.percentile(percent) / 1e6 - RESOLUTION_MILLIS
      yield* Metric.update(eventLoopLag.of({ late }), Number.isFinite(lateMillis) ? Math.max(0, lateMillis) / 1000 : 0)
    }
    delay.reset()
  })
})
