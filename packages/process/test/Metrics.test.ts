/** The page of metrics, and readings that do not go well. */
import { createServer } from "node:net"
import { layerMetrics, type Reading } from "@agent-platform/process"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Metric } from "effect"

const freePort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" ? (address?.port ?? 0) : 0)))
  })
})

/** Serves these readings, and answers what gets the page. */
const serving = Effect.fnUntraced(function* (...readings: ReadonlyArray<Reading<never>>) {
  const port = yield* freePort
  const env = { METRICS_PORT: String(port), BUILD_REVISION: "abc1234" }
  yield* Layer.build(layerMetrics({ readings })).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
    Effect.provideService(Metric.MetricRegistry, new Map())
  )
  return Effect.promise(async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text())
})

const ageOf = (page: string, reading: string): number =>
  Number(new RegExp(`^agent_platform_reading_age_seconds\\{reading="${reading}"\\} (\\S+)$`, "m").exec(page)?.[1])

describe("the page of metrics", () => {
  it.live("says which release and revision it is of", () =>
    Effect.gen(function* () {
      const page = yield* serving()
      assert.match(yield* page, /^agent_platform_build_info\{version="\d+\.\d+\.\d+",revision="abc1234"\} 1$/m)
    }).pipe(Effect.scoped)
  )

  it.live("says for how long a value could not be read, and of one that was just read that it is new", () =>
    Effect.gen(function* () {
      let isAway = false
      const broken = Effect.suspend(() => (isAway ? Effect.die(new Error("Away")) : Effect.void))
      const page = yield* serving({ name: "good", read: Effect.void }, { name: "broken", read: broken })
      assert.isBelow(ageOf(yield* page, "broken"), 0.2)
      isAway = true
      const away = yield* Effect.repeat(page, { until: (text) => ageOf(text, "broken") >= 0.3 })
      assert.isBelow(ageOf(away, "good"), 0.2)
      isAway = false
      assert.isBelow(ageOf(yield* page, "broken"), 0.2)
    }).pipe(Effect.scoped)
  )

  it.live("comes although a reading hangs that cannot be interrupted, which is not begun again meanwhile", () =>
    Effect.gen(function* () {
      let begun = 0
      const hanging = Effect.andThen(
        Effect.sync(() => begun++),
        Effect.uninterruptible(Effect.never)
      )
      const page = yield* serving({ name: "good", read: Effect.void }, { name: "hanging", read: hanging })
      for (const seconds of [2.9, 5.8]) {
        const text = yield* Effect.timeout(page, "5 seconds")
        assert.isAtLeast(ageOf(text, "hanging"), seconds)
        assert.isBelow(ageOf(text, "good"), 4)
      }
      assert.strictEqual(begun, 1)
    }).pipe(Effect.scoped)
  )
})
