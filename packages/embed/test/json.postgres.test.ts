/** Sizes of JSON here and in Postgres, over values made by chance from a seed. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { jsonbBytes } from "../src/internal/json.ts"
import { type HostOfTests, hostDatabase } from "./database.ts"

let host: HostOfTests
beforeAll(async () => {
  host = await hostDatabase()
})
afterAll(() => host?.[Symbol.asyncDispose]())

const makeRandom = (seed: number) => {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

const TEXTS = ["", "a b", 'quoted "x" \\', "tab\t line\n bell\u0007 del\u007f", "é😀", "\u2028"]

describe("the size of JSON", () => {
  it("is that of the text which Postgres makes of it, whatever is in it", async () => {
    const random = makeRandom(7)
    const pick = <A>(some: ReadonlyArray<A>): A => some[Math.floor(random() * some.length)] as A
    const number = () =>
      pick([
        0,
        -0,
        random(),
        -random() * 1e6,
        Math.floor(random() * 1e9),
        random() * 10 ** Math.floor(random() * 600 - 300)
      ])
    const value = (depth: number): unknown => {
      const kind = Math.floor(random() * (depth === 0 ? 4 : 6))
      if (kind < 2) return number()
      if (kind === 2) return pick(TEXTS)
      if (kind === 3) return pick([true, false, null])
      const items = Array.from({ length: Math.floor(random() * 4) }, () => value(depth - 1))
      return kind === 4 ? items : Object.fromEntries(items.map((item, index) => [pick(TEXTS) + index, item]))
    }
    const values = Array.from({ length: 2_000 }, () => value(3))
    const { rows } = await host.pool.query(
      "select octet_length(given::jsonb::text) as bytes from unnest($1::text[]) as given",
      [values.map((one) => JSON.stringify(one))]
    )
    for (const [index, { bytes }] of rows.entries()) {
      const json = JSON.stringify(values[index])
      assert.strictEqual(jsonbBytes(JSON.parse(json)), bytes, json)
    }
  })
})
