import { addDistributions, BUCKET_BOUNDS, bucketOf, type Distribution, percentilesOf } from "@agent-platform/toolkit"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Random } from "effect"

const of = (durations: ReadonlyArray<number>): Distribution =>
  durations.map((millis): Distribution => ({ [bucketOf(millis)]: 1 })).reduce(addDistributions, {})

const exactly = (durations: ReadonlyArray<number>, fraction: number): number =>
  durations.toSorted((one, other) => one - other)[Math.max(1, Math.ceil(fraction * durations.length)) - 1] ?? 0

describe("a distribution of durations", () => {
  it("puts each whole number of milliseconds into the bucket that begins at it or before", () => {
    for (const [bucket, start] of BUCKET_BOUNDS.entries()) {
      assert.strictEqual(bucketOf(start), bucket)
      if (start > 0) assert.strictEqual(bucketOf(start - 1), bucket - 1)
    }
    assert.strictEqual(bucketOf(2 ** 50), BUCKET_BOUNDS.length - 1)
  })

  it.effect("tells percentiles within 5 %, also of parts that were added up", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 200; round++) {
        const size = yield* Random.nextIntBetween(1, 400)
        const scale = yield* Random.nextIntBetween(0, 30)
        const durations: Array<number> = []
        for (let index = 0; index < size; index++) {
          durations.push(Math.min(999_999_999, Math.floor(2 ** ((yield* Random.next) * scale))))
        }
        const half = Math.floor(size / 2)
        const whole = addDistributions(of(durations.slice(0, half)), of(durations.slice(half)))
        assert.deepStrictEqual(whole, of(durations))
        for (const fraction of [0.01, 0.5, 0.95, 0.99, 1]) {
          const [found = Number.NaN] = percentilesOf(whole, [fraction]) ?? []
          const exact = exactly(durations, fraction)
          assert.isAtMost(Math.abs(found - exact), exact * 0.05 + 0.5, `${fraction} of ${size}`)
        }
      }
    }).pipe(Random.withSeed("durations"))
  )

  it("has no percentiles where there is no duration", () => {
    assert.isUndefined(percentilesOf({}, [0.5]))
  })
})
