/** Measures of work by the clock, as operators get them. */
import { JobHistory, JobRunId, UnitOfWork } from "@agent-platform/kernel"
import { layer } from "@agent-platform/kernel/memory"
import { anId } from "@agent-platform/kernel/testing"
import { CLOCK, jobReading, runJob, scheduledKind } from "@agent-platform/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"

const fresh = <A, E>(effect: Effect.Effect<A, E, Layer.Success<typeof layer>>) =>
  effect.pipe(Effect.provide(Layer.fresh(layer)), Effect.provideService(Metric.MetricRegistry, new Map()))

/** The value of a measure under these labels; undefined where nobody has set it. */
const valueOf = (id: string, labels: Readonly<Record<string, string>>) =>
  Effect.map(Metric.snapshot, (all) => {
    const one = all.find(
      (found) =>
        found.id === id && Object.entries(labels).every(([label, value]) => found.attributes?.[label] === value)
    )
    return one?.type === "Counter" ? one.state.count : one?.type === "Gauge" ? one.state.value : undefined
  })

const kind = scheduledKind("things.prune")
const job = { kind, run: Effect.succeed("Forgot nothing") }
const BY_CLOCK = { trigger: "schedule", holder: "scheduler 1" } as const

describe("the measures of jobs", () => {
  it.effect("count the runs of each job by how they ended", () =>
    fresh(
      Effect.gen(function* () {
        yield* runJob(job, BY_CLOCK)
        yield* runJob(job, BY_CLOCK)
        yield* Effect.exit(runJob({ kind, run: Effect.die(new Error("The disk is full")) }, BY_CLOCK))
        const ended = (status: string) => valueOf("agent_platform_job_runs_total", { job_name: "things.prune", status })
        assert.strictEqual(yield* ended("succeeded"), 2)
        assert.strictEqual(yield* ended("failed"), 1)
      })
    )
  )

  it.effect("say when a job succeeded last, which a failure later does not change, and how often it is due", () =>
    fresh(
      Effect.gen(function* () {
        const read = jobReading([{ kind, cron: "*/10 * * * *" }]).read
        const last = valueOf("agent_platform_job_last_success_timestamp_seconds", { job_name: "things.prune" })
        yield* read
        assert.isUndefined(yield* last)
        yield* TestClock.setTime(1_000_000)
        yield* runJob(job, BY_CLOCK)
        yield* TestClock.setTime(2_000_000)
        yield* Effect.exit(runJob({ kind, run: Effect.die(new Error("The disk is full")) }, BY_CLOCK))
        yield* read
        assert.strictEqual(yield* last, 1_000)
        assert.strictEqual(yield* valueOf("agent_platform_job_period_seconds", { job_name: "things.prune" }), 600)
      })
    )
  )

  it.effect("name nothing but the jobs that are asked for", () =>
    fresh(
      Effect.gen(function* () {
        const history = yield* JobHistory
        const unit = yield* UnitOfWork
        const id = anId(JobRunId)
        yield* unit.atomic(history.begin({ id, name: "from.before", trigger: "schedule", holder: "gone" }))
        yield* unit.atomic(
          history.end(id, {
            status: "succeeded",
            itemsDone: 0,
            itemsTotal: null,
            cursor: null,
            summary: null,
            error: null
          })
        )
        yield* jobReading(CLOCK).read
        const named = (yield* Metric.snapshot).map(({ attributes }) => attributes?.["job_name"])
        assert.sameMembers(
          [...new Set(named)],
          CLOCK.map((one) => one.kind.name)
        )
      })
    )
  )
})
