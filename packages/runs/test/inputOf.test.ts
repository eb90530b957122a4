import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"
import { inputOf } from "../src/InboundWebhook.ts"

const LIMIT = 1_000

/** Counts how often it is written as JSON. */
class Counted {
  writes = 0
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toJSON(): string {
    this.writes++
    return this.text
  }
}

describe("the input of a run that an inbound webhook sets going", () => {
  it("is the body, or undefined where that is larger than it may be", () => {
    assert.strictEqual(inputOf(null, "x".repeat(LIMIT - 2), LIMIT), "x".repeat(LIMIT - 2))
    assert.isUndefined(inputOf(null, "x".repeat(LIMIT - 1), LIMIT))
    assert.isUndefined(inputOf(null, "é".repeat(LIMIT / 2), LIMIT))
  })

  it("is measured to the byte where it is mapped", () => {
    const map = { a: "/x", é: "/y", none: "/z" }
    for (const length of [LIMIT - 30, LIMIT - 29, LIMIT - 28, LIMIT - 27, LIMIT - 26]) {
      const body = { x: "x".repeat(length), y: 1 }
      const input = { a: body.x, é: 1, none: null }
      const bytes = new TextEncoder().encode(JSON.stringify(input)).length
      assert.deepStrictEqual(inputOf(map, body, LIMIT), bytes <= LIMIT ? input : undefined, `${bytes} bytes`)
    }
    assert.deepStrictEqual(inputOf({}, {}, 2), {})
  })

  it("is not written further than it may be large, however many of its members are the same", () => {
    const map = Object.fromEntries(Array.from({ length: 32 }, (_, index) => [`m${index}`, ""]))
    const body = new Counted("x".repeat(LIMIT - 100))
    assert.isUndefined(inputOf(map, body as unknown as Schema.Json, LIMIT))
    assert.strictEqual(body.writes, 2)
  })
})
