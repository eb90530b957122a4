import { nanosPerRequest, type RateLimit, readingOf, takeRequests } from "@agent-platform/keys"
import { assert, describe, it } from "vitest"

const NOW = 1_795_251_658_541_000_000n
const SECOND = 1_000_000_000n

/** How many requests are taken at these moments, in seconds from now. */
const takenAt = (rateLimit: RateLimit, moments: ReadonlyArray<number>): ReadonlyArray<boolean> => {
  let fullAt: bigint | undefined
  return moments.map((seconds) => {
    const answer = takeRequests(fullAt, rateLimit, NOW + BigInt(Math.round(seconds * 1e9)), 1)
    fullAt = answer.fullAt
    return answer.taken
  })
}

describe("a bucket", () => {
  it("gives as many as its limit at once and one for each part of the window that passes", () => {
    const limit = { limit: 3, windowSeconds: 6 }
    assert.deepStrictEqual(takenAt(limit, [0, 0, 0, 0, 1.999, 2, 2, 4, 4]), [
      true,
      true,
      true,
      false,
      false,
      true,
      false,
      true,
      false
    ])
  })

  it("holds no more than its limit however long it was left alone", () => {
    const taken = takenAt({ limit: 2, windowSeconds: 10 }, [0, 1_000, 1_000, 1_000])
    assert.deepStrictEqual(taken, [true, true, true, false])
  })

  it("gives exactly its limit at once whatever the numbers", () => {
    for (const limit of [1, 3, 6, 7, 333, 999_999, 1_000_000]) {
      for (const windowSeconds of [1, 7, 86_400]) {
        const rateLimit = { limit, windowSeconds }
        const almostEmpty = NOW + nanosPerRequest(rateLimit) * BigInt(limit - 1)
        const last = takeRequests(limit === 1 ? undefined : almostEmpty, rateLimit, NOW, 1)
        assert.isTrue(last.taken)
        assert.isFalse(takeRequests(last.fullAt, rateLimit, NOW, 1).taken)
        assert.strictEqual(readingOf(rateLimit, true, last.fullAt - NOW).remaining, 0)
      }
    }
  })

  it("is as good as full when its moment has passed", () => {
    const limit = { limit: 2, windowSeconds: 10 }
    assert.deepStrictEqual(takeRequests(NOW - 5n * SECOND, limit, NOW, 1), takeRequests(undefined, limit, NOW, 1))
  })
})

describe("a reading", () => {
  const limit = { limit: 4, windowSeconds: 8 }
  it("says what is left and when all of it is back", () => {
    assert.deepStrictEqual(readingOf(limit, true, 2n * SECOND), {
      taken: true,
      remaining: 3,
      resetSeconds: 2,
      retryAfterSeconds: 0
    })
  })

  it("rounds what is left down and the waiting up", () => {
    const reading = readingOf(limit, false, 6n * SECOND + 1n)
    assert.deepStrictEqual(reading, { taken: false, remaining: 0, resetSeconds: 7, retryAfterSeconds: 1 })
  })

  it("of a full bucket asks for no waiting", () => {
    assert.deepStrictEqual(readingOf(limit, true, 0n), {
      taken: true,
      remaining: 4,
      resetSeconds: 0,
      retryAfterSeconds: 0
    })
  })
})
