/** Numbers as people read them. */
import { assert, describe, it } from "vitest"
import { axisMoney, counted, duration, exactMoney, money } from "../src/ui/numbers.ts"

describe("an amount", () => {
  it("keeps its last digit where it is shown alone, and has four decimals in a column", () => {
    assert.match(exactMoney("123456789012.123456789012"), /\.123456789012/)
    assert.match(exactMoney("0.00"), /0\.00$/)
    assert.match(money("0.00027"), /0\.0003/)
    for (const zero of ["0", "0.00", "0.000000000000"]) assert.match(money(zero), /^\D0\.00$/)
    assert.strictEqual(money(null), "–")
  })
})

it("an axis of amounts has the digits that its steps need", () => {
  const marks = (step: number, count: number) => Array.from({ length: count }, (_, at) => axisMoney(step)(at * step))
  assert.deepStrictEqual(marks(0.2, 3), ["$0.00", "$0.20", "$0.40"])
  assert.deepStrictEqual(marks(0.0005, 3), ["$0.0000", "$0.0005", "$0.0010"])
  assert.deepStrictEqual(marks(50, 2), ["$0.00", "$50.00"])
  assert.deepStrictEqual(marks(1e-30, 1), ["$0.000000000000"])
})

it("a count says one thing and several", () => {
  assert.deepStrictEqual(
    [0, 1, 2].map((value) => counted(value, "run")),
    ["0 runs", "1 run", "2 runs"]
  )
})

describe("a span of time", () => {
  it("is said in two units at most", () => {
    assert.deepStrictEqual([0, 412, 1_400, 200_000, 3_700_000, 90_000_000].map(duration), [
      "0 ms",
      "412 ms",
      "1.4 s",
      "3 min 20 s",
      "1 h 1 min",
      "1 d 1 h"
    ])
  })

  it("that would be rounded up to a whole second or minute is said as one", () => {
    assert.deepStrictEqual([999.4, 999.5, 59_949, 59_950, 59_999].map(duration), [
      "999 ms",
      "1.0 s",
      "59.9 s",
      "1 min 0 s",
      "1 min 0 s"
    ])
  })
})
