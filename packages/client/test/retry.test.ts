/** When the client repeats a request. */
import { assert, describe, it } from "@effect/vitest"
import { RETRY_DEFAULTS, repeatAfter, retryAfterSeconds } from "../src/retry.ts"

const read = { method: "GET", keyed: false }
const create = { method: "POST", keyed: true }
const change = { method: "PATCH", keyed: false }

const answer = (status: number, retryAfter?: number, code?: string) => ({ status, code, retryAfter })
const after = (request: typeof read, came: Parameters<typeof repeatAfter>[1], attempt = 1, random = 0) =>
  repeatAfter(request, came, attempt, RETRY_DEFAULTS, random)

describe("a request", () => {
  it("is repeated without an answer, or when the service is away, where that does nothing twice", () => {
    for (const came of ["unanswered", answer(503), answer(502), answer(504), answer(408)] as const) {
      assert.isDefined(after(read, came))
      assert.isDefined(after(create, came))
      assert.isUndefined(after(change, came))
      assert.isUndefined(after({ method: "POST", keyed: false }, came))
    }
  })

  it("is repeated whatever it does where it was refused before anything was done", () => {
    for (const request of [read, create, change]) {
      assert.isDefined(after(request, answer(429)))
      assert.isDefined(after(request, answer(409, 1, "idempotency_in_progress")))
    }
  })

  it("is never repeated for a fault of its own, nor for one of ours", () => {
    for (const status of [400, 401, 402, 403, 404, 405, 409, 413, 415, 422, 431, 500]) {
      assert.isUndefined(after(read, answer(status)), String(status))
    }
  })

  it("is not repeated more often than the policy says", () => {
    assert.isDefined(after(read, answer(503), RETRY_DEFAULTS.retriesMax))
    assert.isUndefined(after(read, answer(503), RETRY_DEFAULTS.retriesMax + 1))
    assert.isUndefined(repeatAfter(read, answer(503), 1, { ...RETRY_DEFAULTS, retriesMax: 0 }, 0))
  })
})

describe("the wait before a repetition", () => {
  it("doubles without advice, and is shorter by chance, by a half at most", () => {
    assert.deepStrictEqual(
      [1, 2, 3].map((attempt) => [after(read, answer(503), attempt, 0), after(read, answer(503), attempt, 1)]),
      [
        [125, 250],
        [250, 500],
        [500, 1_000]
      ]
    )
  })

  it("is no shorter than what the service asks for, and longer by chance, by a quarter at most", () => {
    assert.strictEqual(after(read, answer(429, 8), 1, 0), 8_000)
    assert.strictEqual(after(read, answer(429, 8), 1, 1), 10_000)
  })

  it("is not begun where the service asks for more than the policy has", () => {
    assert.isUndefined(after(read, answer(429, RETRY_DEFAULTS.waitSecondsMax + 1)))
  })
})

describe("Retry-After", () => {
  it("is read as seconds or as a date, and taken for none otherwise", () => {
    const now = Date.parse("2026-11-21T12:00:00Z")
    assert.strictEqual(retryAfterSeconds("7", now), 7)
    assert.strictEqual(retryAfterSeconds("Sat, 21 Nov 2026 12:00:30 GMT", now), 30)
    assert.strictEqual(retryAfterSeconds("Sat, 21 Nov 2026 11:00:00 GMT", now), 0)
    for (const none of [null, undefined, "", "soon", "-"]) assert.isUndefined(retryAfterSeconds(none, now))
  })
})
