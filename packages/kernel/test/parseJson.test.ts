/** Names of JSON, as they were written, whatever else was read before. */
import { parseJson, readJson } from "@agent-platform/kernel"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

/** Lets Node itself read the name that is taken for others, behind this one. */
const poison = (first: string): unknown => JSON.parse(String.raw`{"${first}":[],"\\":0}`)

/** Texts whose names have escapes, as lists of names and values. */
const ESCAPED: ReadonlyArray<readonly [string, ReadonlyArray<readonly [string, unknown]>]> = [
  [
    String.raw`{"k":1,"\u00e9":2}`,
    [
      ["k", 1],
      ["é", 2]
    ]
  ],
  [
    String.raw`{"k":1,"\n":"\n\"\u00e9\\"}`,
    [
      ["k", 1],
      ["\n", '\n"é\\']
    ]
  ],
  [
    String.raw` { "k" : -1.5e3 , "\"" : [ true, false , null, [], {} , "" ], "\u0041" : -0 } `,
    [
      ["k", -1500],
      ['"', [true, false, null, [], {}, ""]],
      ["A", -0]
    ]
  ],
  [
    String.raw`{"k":1,"\u005f_proto__":{"a":1},"k":2}`,
    [
      ["k", 2],
      ["__proto__", { a: 1 }]
    ]
  ]
]

describe("names with escapes", () => {
  it("are read as they were written, behind a name of another that ends in a backslash", () => {
    poison("k")
    for (const [text, entries] of ESCAPED) {
      assert.deepStrictEqual(Object.entries(parseJson(text) as object), entries, text)
      assert.deepStrictEqual(Object.entries(readJson(text).value as object), entries, text)
      assert.strictEqual(Object.getPrototypeOf(parseJson(text)), Object.prototype)
    }
  })

  it("are what the workaround is for: once Node reads them by itself, parseJson and the decision about it go", () => {
    poison("only here")
    assert.notDeepEqual(Object.keys(JSON.parse(String.raw`{"only here":1,"\u00e9":2}`)), ["only here", "é"])
  })

  it("lead to a number that reading has changed", () => {
    assert.deepStrictEqual(readJson(String.raw`{"k":1,"\u00e9":9007199254740993}`).changed, ["é"])
  })

  it.prop(
    "change nothing else of a value",
    { value: Schema.Json, name: Schema.String, first: Schema.String },
    ({ first, name, value }) => {
      const whole = { [first]: value, [`${name}\n`]: [value, { [`\\${name}`]: value }] }
      const text = JSON.stringify(whole)
      // Compared as texts, which JSON.stringify writes rightly.
      assert.strictEqual(JSON.stringify(parseJson(text)), text)
      assert.strictEqual(JSON.stringify(parseJson(JSON.stringify(whole, null, 2))), text)
    }
  )

  it("are no reason to take what is no JSON", () => {
    for (const text of [String.raw`{"\n":1`, String.raw`{"\n":1}}`, String.raw`{"\n" 1}`, String.raw`{"\x":1}`]) {
      assert.throws(() => parseJson(text), SyntaxError)
    }
  })
})
