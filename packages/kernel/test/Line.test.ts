import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { makeLine, type PlaceInLine } from "../src/Line.ts"

describe("a line", () => {
  it("holds items in the order in which they came", () => {
    const line = makeLine<number>()
    for (const item of [3, 1, 2]) line.join(item)
    assert.deepStrictEqual([...line.items()], [3, 1, 2])
    assert.strictEqual(line.first()?.item, 3)
    assert.strictEqual(line.size(), 3)
  })

  it("is left once, however often somebody leaves it", () => {
    const line = makeLine<string>()
    const place = line.join("one")
    line.join("two")
    line.leave(place)
    line.leave(place)
    assert.deepStrictEqual([...line.items()], ["two"])
    assert.strictEqual(line.size(), 1)
  })

  it("can be left by whoever is being looked at", () => {
    const line = makeLine<number>()
    const places = new Map([1, 2, 3, 4].map((item) => [item, line.join(item)]))
    const seen: Array<number> = []
    for (const item of line.items()) {
      seen.push(item)
      const place = places.get(item)
      if (item % 2 === 0 && place !== undefined) line.leave(place)
    }
    assert.deepStrictEqual(seen, [1, 2, 3, 4])
    assert.deepStrictEqual([...line.items()], [1, 3])
  })

  it.prop(
    "is what a list would be, whoever joins and leaves",
    [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: -8, maximum: 8 })))],
    ([steps]) => {
      const line = makeLine<number>()
      const model: Array<PlaceInLine<number>> = []
      for (const [index, step] of steps.entries()) {
        // A number below zero takes out whoever is that far down the line.
        const leaving = step < 0 ? model[-step - 1] : undefined
        if (leaving === undefined) model.push(line.join(index))
        else {
          line.leave(leaving)
          model.splice(model.indexOf(leaving), 1)
        }
      }
      assert.deepStrictEqual(
        [...line.items()],
        model.map(({ item }) => item)
      )
      assert.strictEqual(line.size(), model.length)
      assert.strictEqual(line.first(), model[0])
    }
  )
})
