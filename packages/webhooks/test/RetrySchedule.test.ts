/** Spec: Delivery and replay 1; Limits 4. */
import { retryDelayMillis } from "@agent-platform/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { parseRetryAfter, RETRY_DELAYS_SECONDS } from "../src/RetrySchedule.ts"

const MAX_MILLIS = 12 * 3600 * 1000
const JITTER = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const LATER_FAILURE = Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 10 }))
const RETRY_AFTER = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999_999_999 }))

const delay = (failures: number, jitter: number, retryAfterSeconds?: number) =>
  retryDelayMillis(failures, { jitter, retryAfterSeconds }) ?? Number.NaN

describe("the retry schedule", () => {
  it("grows from one minute to twelve hours in ten steps and never shrinks", () => {
    const delays = RETRY_DELAYS_SECONDS.map((_, index) => delay(index + 1, 0))
    assert.deepStrictEqual(
      delays,
      [60, 300, 1800, 7200, 18_000, 36_000, 43_200, 43_200, 43_200, 43_200].map((s) => s * 1000)
    )
    assert.deepStrictEqual(
      delays,
      [...delays].sort((a, b) => a - b)
    )
  })

  it("ends after the eleventh failure", () => {
    assert.isDefined(retryDelayMillis(10, { jitter: 0, retryAfterSeconds: undefined }))
    for (const failures of [11, 12, 1000]) {
      assert.isUndefined(retryDelayMillis(failures, { jitter: 0, retryAfterSeconds: 60 }))
    }
  })

  it.prop(
    "waits exactly one minute after the first failure",
    { jitter: JITTER, asked: RETRY_AFTER },
    ({ asked, jitter }) => {
      assert.strictEqual(delay(1, jitter, asked), 60_000)
    }
  )

  it.prop(
    "subtracts at most a tenth as jitter",
    { failures: LATER_FAILURE, jitter: JITTER },
    ({ failures, jitter }) => {
      const whole = (RETRY_DELAYS_SECONDS[failures - 1] ?? 0) * 1000
      const millis = delay(failures, jitter)
      assert.isAtMost(millis, whole)
      assert.isAtLeast(millis, whole * 0.9)
      assert.isTrue(Number.isInteger(millis))
    }
  )

  it.prop(
    "lets a receiver only lengthen a delay, and never beyond twelve hours",
    { failures: LATER_FAILURE, jitter: JITTER, asked: RETRY_AFTER },
    ({ asked, failures, jitter }) => {
      const millis = delay(failures, jitter, asked)
      assert.isAtLeast(millis, delay(failures, jitter))
      assert.isAtLeast(millis, Math.min(asked * 1000, MAX_MILLIS))
      assert.isAtMost(millis, MAX_MILLIS)
    }
  )

  it.prop(
    "never lets a later failure wait less than a tenth below an earlier one",
    { failures: LATER_FAILURE, jitter: JITTER },
    ({ failures, jitter }) => {
      assert.isAtLeast(delay(failures, jitter), delay(failures - 1, 0) * 0.9)
    }
  )
})

describe("a Retry-After header", () => {
  const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")
  const parse = (header: string | undefined) => parseRetryAfter(header, NOW)

  it.each([
    ["120", 120],
    ["0", 0],
    ["Sat, 21 Nov 2026 12:02:00 GMT", 120],
    ["Sat, 21 Nov 2026 11:00:00 GMT", 0]
  ])("of %s asks for %i seconds", (header, seconds) => assert.strictEqual(parse(header), seconds))

  it.each([undefined, "", "soon", "-5 minutes", "1e3x"])("of %s asks for nothing", (header) =>
    assert.isUndefined(parse(header))
  )
})
