import { counter, gauge, makeBoundedLabel, measure, SERIES_MAX, whileRunning } from "@agent-platform/toolkit"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Metric } from "effect"

const fresh = <A, E>(effect: Effect.Effect<A, E>) => Effect.provideService(effect, Metric.MetricRegistry, new Map())

const calls = counter("calls_total", "Calls.", ["outcome"])
const open = gauge("open", "What is open.")

describe("a measure", () => {
  it.effect("is kept apart by the values of its labels", () =>
    fresh(
      Effect.gen(function* () {
        yield* measure(calls, { outcome: "good" }, 1)
        yield* measure(calls, { outcome: "good" }, 2)
        yield* measure(calls, { outcome: "bad" }, 1)
        const found = (yield* Metric.snapshot).map(({ attributes, state }) => [attributes?.["outcome"], state])
        assert.deepStrictEqual(found.map(([outcome]) => outcome).toSorted(), ["bad", "good"])
        assert.deepInclude(found, ["good", { count: 3, incremental: true }])
      })
    )
  )

  it.effect("has no more series than the most, and counts what is beyond in one of them", () =>
    fresh(
      Effect.gen(function* () {
        const wide = counter("wide_total", "Wide.", ["of", "by"])
        for (let index = 0; index < SERIES_MAX + 5; index++) yield* measure(wide, { of: String(index), by: "x" }, 1)
        const found = yield* Metric.snapshot
        assert.strictEqual(found.length, SERIES_MAX + 1)
        const other = found.find(({ attributes }) => attributes?.["of"] === "_other")
        assert.strictEqual(other?.attributes?.["by"], "_other")
        assert.deepInclude(other?.state, { count: 5 })
      })
    )
  )

  it.effect("of what is under way goes back when it ends, whatever its end", () =>
    fresh(
      Effect.gen(function* () {
        const during = yield* whileRunning(open)(Metric.value(open.of({})))
        const failed = yield* Effect.exit(whileRunning(open)(Effect.die("broken")))
        assert.isTrue(Exit.isFailure(failed))
        assert.deepInclude(during, { value: 1 })
        assert.deepInclude(yield* Metric.value(open.of({})), { value: 0 })
      })
    )
  )
})

describe("a bounded label", () => {
  it("says the first values as they are, and names every other one alike", () => {
    const bounded = makeBoundedLabel(2)
    assert.deepStrictEqual(["a", "x".repeat(101), "b", "c", "a"].map(bounded), ["a", "_other", "b", "_other", "a"])
  })
})
