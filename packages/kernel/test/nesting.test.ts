import { isTooDeep, makeNestingCheck, readJson } from "@agent-platform/kernel"
import { assert, describe, it } from "@effect/vitest"

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels)

const isTextTooDeep = (text: string): boolean => readJson(text).fault === "too_deep"

const isTooDeepIn = (...pieces: ReadonlyArray<string>): boolean => {
  const check = makeNestingCheck()
  return pieces.some((piece) => new TextEncoder().encode(piece).some(check))
}

describe("nesting", () => {
  it("is too deep from 101 levels on, in a text as in the value that it spells", () => {
    for (const [text, isDeep] of [
      [nested(100), false],
      [nested(101), true],
      [`${'{"a":'.repeat(100)}1${"}".repeat(100)}`, false],
      [`${'{"a":'.repeat(101)}1${"}".repeat(101)}`, true],
      [`[${nested(99)},${nested(99)}]`, false],
      [`[${nested(99)},[${nested(99)}]]`, true],
      ['"text"', false]
    ] as const) {
      assert.strictEqual(isTextTooDeep(text), isDeep, text)
      assert.strictEqual(isTooDeep(JSON.parse(text)), isDeep, text)
    }
  })

  it("is no matter of brackets in strings, whatever is escaped in them", () => {
    const text = JSON.stringify({ [`"\\${"[".repeat(200)}`]: `\\"${"{".repeat(200)}\\` })
    assert.isFalse(isTextTooDeep(text))
    assert.isTrue(isTextTooDeep(`["\\\\",${nested(200)}]`))
  })

  it("of a value without an end is found out, and so is that of a very deep one", () => {
    const circle: Array<unknown> = []
    circle.push(circle, circle)
    assert.isTrue(isTooDeep(circle))
    assert.isTrue(isTooDeep(JSON.parse(nested(100_000))))
    assert.isTrue(isTextTooDeep(nested(100_000)))
  })

  it("is followed through a stream of events, however it is cut into pieces", () => {
    const event = `data: ${nested(90)}\n\n`
    assert.isFalse(isTooDeepIn(event.repeat(50)))
    assert.isTrue(isTooDeepIn(...`${event}data: ${nested(101)}\n\n`))
    assert.isTrue(isTooDeepIn("data: [\n".repeat(101)))
  })

  it("cannot be hidden by what is no JSON", () => {
    for (const before of [': it says "\n', ': it says "\\\n', "data: ]]]]]]]]\n\n", 'data: "\r']) {
      assert.isTrue(isTooDeepIn(`${before}data: ${nested(101)}\n\n`), before)
    }
  })
})
