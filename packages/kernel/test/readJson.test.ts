import { changedNumberFault, readJson } from "@agent-platform/kernel"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const KEPT = [
  "9007199254740991",
  "-9007199254740991",
  "9007199254740992",
  "100000000000000000000",
  "12345678901234567e3",
  "0.12345678901234567",
  "12345678901234567.0",
  "1e308",
  "1e-999",
  "-0"
]

const CHANGED = [
  "9007199254740993",
  "-9007199254740993",
  "18446744073709551616",
  "123456789012345678",
  "9".repeat(400),
  "1e400",
  "-1.5E+999"
]

const changedIn = (text: string) => readJson(text).changed

const faultIn = (text: string) => changedNumberFault(changedIn(text) ?? [])

const SPOILING = ["", '"', "\\", "[", "}", ",", "-", "123456789012345678", "\n", '"\n[']

const parses = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe("JSON that is read", () => {
  it.prop("is the value that was written", { value: Schema.Json }, ({ value }) => {
    const text = JSON.stringify(value)
    // By texts: JSON.parse of this process may read names wrongly.
    assert.strictEqual(JSON.stringify(readJson(text).value), text)
  })

  it("has at most 1000 different names that need an escape, and any number of others", () => {
    const names = (count: number, name: (index: number) => string) =>
      `{${Array.from({ length: count }, (_, index) => `"${name(index)}":0`).join(",")}}`
    const readable = names(1_000, (index) => String.raw`\"${index}`)
    assert.strictEqual(Object.keys(readJson(readable).value as object).at(-1), '"999')
    assert.strictEqual(readJson(names(1_001, (index) => String.raw`\n${index}`)).fault, "too_many_escapes")
    assert.strictEqual(
      Object.keys(readJson(names(5_000, (index) => String.raw`\u00e9${index}`)).value as object).length,
      5_000
    )
    assert.isUndefined(readJson(`[${String.raw`{"\n":0},`.repeat(5_000)}0]`).fault)
  })

  it.prop(
    "is none where JSON.parse throws, wherever the text ends or is spoilt",
    { value: Schema.Json, at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 })) },
    ({ at, value }) => {
      const text = JSON.stringify(value)
      for (const piece of SPOILING) {
        const spoilt = text.slice(0, at) + piece + text.slice(at)
        assert.strictEqual(readJson(spoilt).fault === undefined, parses(spoilt), spoilt)
        assert.strictEqual(readJson(text.slice(0, at) + piece).fault === undefined, parses(text.slice(0, at) + piece))
      }
    }
  )
})

describe("a number of JSON", () => {
  it("is changed by reading it where it is written in other digits afterwards, and so is what is too large to be read", () => {
    for (const number of KEPT) assert.isUndefined(changedIn(`[${number}]`), number)
    for (const number of CHANGED) assert.deepStrictEqual(changedIn(`[${number}]`), [0], number)
    for (const number of CHANGED) assert.deepStrictEqual(changedIn(` ${number} `), [], number)
  })

  it("is found wherever it stands, by the names and the indices that lead to it, and before any other", () => {
    const paths: ReadonlyArray<readonly [string, ReadonlyArray<string | number>]> = [
      [`{"a": "x", "b": {"c": [1, {"d": "e", "f": #}]}, "g": 1e999}`, ["b", "c", 1, "f"]],
      [`{"a": {"b": "c"}, "d": [[], {}, [{"e": 1}, "f,[{", #]]}`, ["d", 2, 2]],
      [String.raw`{"q\"uo\u0074e\\": [", \\", #]}`, ['q"uote\\', 1]],
      [`{"": {"~/": #}, "9007199254740993": 1}`, ["", "~/"]]
    ]
    for (const [text, path] of paths) {
      assert.deepStrictEqual(changedIn(text.replace("#", "9007199254740993")), path, text)
      assert.isUndefined(changedIn(text.replace("#", '"9007199254740993"').replace("1e999", "1")), text)
      assert.isUndefined(changedIn(JSON.stringify(text.replace("#", "9007199254740993"))), text)
    }
  })

  it("does not hide that the text behind it is nested too deep, or is no JSON", () => {
    assert.deepStrictEqual(readJson(`[1e999, ${"[".repeat(100)}${"]".repeat(100)}]`), { fault: "too_deep" })
    assert.deepStrictEqual(readJson("{123456789012345678: 1e999}"), { fault: "not_json" })
  })

  it("is named by its place unless that is long: half of a secret in it would not be found", () => {
    assert.match(faultIn(`{"a": [9007199254740993]}`), /^\/a\/0 must be a number that is kept/)
    assert.match(faultIn("9007199254740993"), /^it must be/)
    assert.match(faultIn(`{"${"a".repeat(9_999)}": 1e999}`), /^a member of it must be/)
  })
})
