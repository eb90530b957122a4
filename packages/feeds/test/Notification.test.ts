import { arrivalsOf, isWithin, type NumberedNotification, readPlace, writePlace } from "@agent-platform/feeds"
import { aNotification } from "@agent-platform/kernel/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"

const AT = DateTime.makeUnsafe("2026-11-21T05:15:00.123Z")

const numbered = (number: number, seconds: number): NumberedNotification => ({
  number,
  notification: { ...aNotification({ createdAt: DateTime.add(AT, { seconds }) }), read: false }
})

describe("a place in a feed", () => {
  it("is read as it was written, and from nothing else", () => {
    for (const place of [
      { own: 0, shared: 0 },
      { own: 17, shared: 3 },
      { own: 999_999_999_999_999, shared: 1 }
    ]) {
      assert.deepStrictEqual(readPlace(writePlace(place)), place)
    }
    for (const text of ["", "1", "1.", ".1", "1.2.3", "-1.2", "1.0x", "1e3.2", " 1.2", `${"1".repeat(16)}.0`]) {
      assert.isUndefined(readPlace(text), text)
    }
  })

  it("is within another if it is beyond it in nothing", () => {
    const end = { own: 2, shared: 1 }
    assert.isTrue(isWithin(end, end))
    assert.isTrue(isWithin({ own: 0, shared: 1 }, end))
    assert.isFalse(isWithin({ own: 3, shared: 0 }, end))
    assert.isFalse(isWithin({ own: 0, shared: 2 }, end))
  })
})

describe("notices of both kinds in one row", () => {
  it("go by their times, and each kind by its numbers", () => {
    const own = [numbered(5, 1), numbered(6, 9), numbered(7, 3)]
    const shared = [numbered(2, 0), numbered(3, 4)]
    assert.deepStrictEqual(
      arrivalsOf({ own: 4, shared: 1 }, own, shared, 9).map(({ place }) => writePlace(place)),
      ["4.2", "5.2", "5.3", "6.3", "7.3"]
    )
  })

  it("end with the last of a kind of which there may be more", () => {
    const own = [numbered(1, 0), numbered(2, 1)]
    const shared = [numbered(1, 0), numbered(2, 9)]
    const places = (max: number, others: typeof shared) =>
      arrivalsOf({ own: 0, shared: 0 }, own, others, max).map(({ place }) => writePlace(place))
    assert.deepStrictEqual(places(3, shared), ["1.0", "1.1", "2.1", "2.2"])
    assert.deepStrictEqual(places(2, shared), ["1.0", "1.1", "2.1"])
    assert.deepStrictEqual(places(2, []), ["1.0", "2.0"])
  })

  it("are one kind alone where there is none of the other", () => {
    const some = [numbered(1, 0), numbered(2, 1)]
    const places = (own: typeof some, shared: typeof some) =>
      arrivalsOf({ own: 0, shared: 0 }, own, shared, 9).map(({ place }) => writePlace(place))
    assert.deepStrictEqual(places(some, []), ["1.0", "2.0"])
    assert.deepStrictEqual(places([], some), ["0.1", "0.2"])
    assert.deepStrictEqual(places([], []), [])
  })
})
