import { assert, describe, it } from "@effect/vitest"
import { makeVigil } from "../src/outbox/makeVigil.ts"

describe("a vigil", () => {
  it("is kept by who has shown life for as long as a gap may be, and again as long after each gap", () => {
    let at = 0
    const vigil = makeVigil(() => at, 4)
    const keptAt = (time: number, shows = false) => {
      at = time
      if (shows) vigil.shown()
      return vigil.isKept()
    }
    assert.isFalse(keptAt(100))
    assert.deepStrictEqual(
      [keptAt(101, true), keptAt(103, true), keptAt(104.9), keptAt(105), keptAt(107, true)],
      [false, false, false, true, true]
    )
    // Frozen: it judges nobody before it has shown life, nor at once when it has.
    assert.deepStrictEqual([keptAt(111), keptAt(111.1), keptAt(167), keptAt(168, true)], [true, false, false, false])
    assert.deepStrictEqual([keptAt(170, true), keptAt(171.9), keptAt(172)], [false, false, true])
  })
})
