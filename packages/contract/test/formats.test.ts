import { assert, describe, it } from "@effect/vitest"
import { DateTime, Option, Schema } from "effect"
import { JsonIn, JsonOut, metadata, time, usdAmount } from "../src/v1/formats.ts"

const decodes = <A>(schema: Schema.ConstraintDecoder<A>, value: unknown) =>
  Option.isSome(Schema.decodeUnknownOption(schema)(value))

describe("a time", () => {
  it("has a date that exists and an offset", () => {
    for (const text of ["2026-11-21T05:15:00Z", "2024-02-29T23:59:59.999999999-12:30", "2026-11-21T05:15:00.1+00:00"]) {
      assert.isTrue(decodes(time(""), text), text)
    }
    for (const text of [
      "2026-11-21T05:15:00",
      "2026-11-21",
      "2026-02-29T00:00:00Z",
      "2026-11-31T00:00:00Z",
      "2026-11-21T24:00:00Z",
      "2026-11-21T05:15:60Z",
      "2026-11-21 05:15:00Z",
      "+012026-11-21T05:15:00Z",
      "2026-11-21T05:15:00+24:00",
      " 2026-11-21T05:15:00Z"
    ])
      assert.isFalse(decodes(time(""), text), text)
  })

  it("is given out in UTC with milliseconds", () => {
    const moment = Schema.decodeUnknownSync(time(""))("2026-11-21T05:15:00+05:30")
    assert.strictEqual(Schema.encodeSync(time(""))(moment), "2026-11-20T23:45:00.000Z")
    assert.strictEqual(Schema.encodeSync(time(""))(DateTime.makeUnsafe(0)), "1970-01-01T00:00:00.000Z")
  })
})

describe("an amount of money", () => {
  it("is a decimal text with up to twelve digits on either side", () => {
    for (const text of ["0", "5", "0.000000000001", "999999999999.999999999999"])
      assert.isTrue(decodes(usdAmount(""), text))
    for (const text of ["", ".5", "5.", "-1", "+1", "1e3", "1,5", " 1", "1000000000000", "0.0000000000001", 1]) {
      assert.isFalse(decodes(usdAmount(""), text), String(text))
    }
  })
})

describe("metadata", () => {
  it("has up to 16 pairs of text within bounds", () => {
    const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]))
    assert.isTrue(decodes(metadata, pairs(16)))
    assert.isTrue(decodes(metadata, { ["k".repeat(64)]: "v".repeat(500) }))
    for (const value of [
      pairs(17),
      { "": "v" },
      { ["k".repeat(65)]: "v" },
      { k: "v".repeat(501) },
      { k: 1 },
      { k: "\u0000" },
      []
    ]) {
      assert.isFalse(decodes(metadata, value), JSON.stringify(value))
    }
  })
})

describe("JSON", () => {
  it("is taken in as it is, and nothing else", () => {
    for (const value of [null, true, 0, -1.5, "", [], {}, { a: [{ b: null }, "c"] }])
      assert.isTrue(decodes(JsonIn, value))
    const endless: Array<unknown> = []
    endless.push(endless, endless)
    const others = [undefined, Number.NaN, Number.POSITIVE_INFINITY, () => 1, [undefined], { a: [1n] }, endless]
    for (const value of others) assert.isFalse(decodes(JsonIn, value))
  })

  it("is given out without a look at what is in it", () => {
    let looks = 0
    const value = { a: [Object.defineProperty({}, "b", { enumerable: true, get: () => ++looks })] }
    assert.strictEqual(Schema.encodeUnknownSync(JsonOut)(value), value)
    assert.strictEqual(looks, 0)
  })
})
