import { changedIntegerFaultIn, changedIntegerIn } from "@agent-platform/kernel"
import { assert, describe, it } from "@effect/vitest"

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

describe("an integer of JSON", () => {
  it("is changed by reading it where it is written in other digits afterwards, and so is what is too large to be read", () => {
    for (const number of KEPT) assert.isUndefined(changedIntegerIn(`[${number}]`), number)
    for (const number of CHANGED) assert.deepStrictEqual(changedIntegerIn(`[${number}]`), [0], number)
    for (const number of CHANGED) assert.deepStrictEqual(changedIntegerIn(` ${number} `), [], number)
  })

  it("is found wherever it stands, by the names and the indices that lead to it", () => {
    const paths: ReadonlyArray<readonly [string, ReadonlyArray<string | number>]> = [
      [`{"a": "x", "b": {"c": [1, {"d": "e", "f": #}]}}`, ["b", "c", 1, "f"]],
      [`{"a": {"b": "c"}, "d": [[], {}, [{"e": 1}, "f,[{", #]]}`, ["d", 2, 2]],
      [String.raw`{"q\"uo\u0074e\\": [", \\", #]}`, ['q"uote\\', 1]],
      [`{"": {"~/": #}, "9007199254740993": 1}`, ["", "~/"]]
    ]
    for (const [text, path] of paths) {
      assert.deepStrictEqual(changedIntegerIn(text.replace("#", "9007199254740993")), path, text)
      assert.isUndefined(changedIntegerIn(text.replace("#", '"9007199254740993"')), text)
      assert.isUndefined(changedIntegerIn(JSON.stringify(text.replace("#", "9007199254740993"))), text)
    }
  })

  it("is named by its place unless that is long: half of a secret in it would not be found", () => {
    assert.match(changedIntegerFaultIn(`{"a": [9007199254740993]}`) ?? "", /^\/a\/0 must be a number that is kept/)
    assert.match(changedIntegerFaultIn("9007199254740993") ?? "", /^it must be/)
    assert.match(changedIntegerFaultIn(`{"${"a".repeat(9_999)}": 1e999}`) ?? "", /^a member of it must be/)
  })
})
