import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import type { Schema } from "effect"
import { interruptMismatchOf, mismatchDetail, schemaFlawOf } from "../src/jsonSchema.ts"

const form = {
  type: "object",
  properties: { approved: { type: "boolean" }, amount: { type: "integer", minimum: 1 }, kind: { enum: ["a", "b"] } },
  required: ["approved"]
}

describe("the data of a reply", () => {
  const fits: ReadonlyArray<Schema.Json> = [{ approved: true }, { approved: false, amount: 3, kind: "a", more: "x" }]
  for (const data of fits) {
    it(`${JSON.stringify(data)} has the form that the question asks for`, () => {
      assert.isUndefined(interruptMismatchOf({ schema: form }, data))
    })
  }

  const differs: ReadonlyArray<Schema.Json> = [
    {},
    null,
    "yes",
    { approved: "yes" },
    { approved: true, amount: 0 },
    { approved: true, amount: 1.5 },
    { approved: true, kind: "c" }
  ]
  for (const data of differs) {
    it(`${JSON.stringify(data)} has another form, and the answer says how`, () => {
      assert.isNotEmpty(interruptMismatchOf({ schema: form }, data))
    })
  }

  it("is taken as it is where the question asks for no form, or the reply has no data", () => {
    assert.isUndefined(interruptMismatchOf(null, { any: 1 }))
    assert.isUndefined(interruptMismatchOf({ amount: 3 }, { any: 1 }))
    assert.isUndefined(interruptMismatchOf({ schema: "text" }, { any: 1 }))
    assert.isUndefined(interruptMismatchOf({ schema: form }, undefined))
  })

  it("is taken as it is under a form that cannot be checked, and patterns are not followed", () => {
    for (const schema of [{ type: "spaceship" }, { $ref: "https://example.com/form.json" }]) {
      assert.isUndefined(interruptMismatchOf({ schema }, "anything"))
    }
    assert.isUndefined(interruptMismatchOf({ schema: { type: "string", pattern: "(a+)+$" } }, `${"a".repeat(50)}!`))
  })
})

describe("a difference", () => {
  it("says where it is and what must be otherwise, and does not repeat the value", () => {
    const schema = { properties: { "a/b": { items: { type: ["integer", "null"] } } }, additionalProperties: false }
    assert.strictEqual(mismatchDetail(schema, { "a/b": [1, "x"] }), "/a~1b/1 must be of the type integer or null")
    assert.strictEqual(mismatchDetail(schema, { c: 1 }), "/c must not be there")
    assert.strictEqual(mismatchDetail({ required: ["a"] }, {}), "it must have the member 'a'")
  })

  it("is one of too few or too many items of a kind", () => {
    const contains = { contains: { type: "integer" }, prefixItems: [true] }
    for (const value of [[], ["x"]]) assert.isNotEmpty(mismatchDetail(contains, value))
    for (const value of [[1], ["x", 1], "x"]) assert.isUndefined(mismatchDetail(contains, value))
    assert.isUndefined(mismatchDetail({ ...contains, minContains: 0 }, []))
    assert.isNotEmpty(mismatchDetail({ ...contains, minContains: 2 }, [1, "x"]))
    assert.isNotEmpty(mismatchDetail({ ...contains, maxContains: 1 }, [1, 2]))
  })

  it("is none that only an unchecked pattern could make", () => {
    const name = { type: "string", pattern: "^a" }
    const schemas: ReadonlyArray<readonly [schema: Schema.Json, value: Schema.Json]> = [
      [{ not: name }, "b"],
      [{ oneOf: [name, { type: "string" }] }, "b"],
      [JSON.parse('{ "if": { "pattern": "^a" }, "then": false }'), "b"],
      [{ contains: name, maxContains: 1 }, ["a", "b"]],
      [{ patternProperties: { "^a": true }, additionalProperties: false }, { ab: 1 }]
    ]
    for (const [schema, value] of schemas) assert.isUndefined(mismatchDetail(schema, value))
  })
})

describe("a check that would take too long", () => {
  const chain = (length: number, next: (reference: Schema.Json) => Schema.Json): Schema.Json => ({
    $ref: "#/$defs/a0",
    $defs: Object.fromEntries(
      Array.from({ length: length + 1 }, (_, index) => [
        `a${index}`,
        index === length ? { type: "string" } : next({ $ref: `#/$defs/a${index + 1}` })
      ])
    )
  })
  const loop = (schema: Schema.Json): Schema.Json => ({ $ref: "#/$defs/a", $defs: { a: schema } })
  const again = { $ref: "#/$defs/a" }
  const nested = (depth: number): Schema.Json => (depth === 0 ? 1 : [nested(depth - 1)])
  const times = <A>(count: number, item: (index: number) => A) =>
    Array.from({ length: count }, (_, index) => item(index))
  const object = (count: number) => Object.fromEntries(times(count, (index) => [`name${index}`, index]))
  const texts = times(60_000, () => "x")

  const CHECKS: ReadonlyArray<readonly [what: string, schema: Schema.Json, value: Schema.Json]> = [
    ["many items by many alternatives", { items: { anyOf: [...times(300, (i) => ({ const: `${i}` })), true] } }, texts],
    ["many names by many schemas", { anyOf: times(300, () => ({ additionalProperties: false })) }, object(25_000)],
    ["many names counted often", { anyOf: times(300, () => ({ maxProperties: 1 })) }, object(25_000)],
    ["a long text counted often", { anyOf: times(300, () => ({ maxLength: 1 })) }, "x".repeat(250_000)],
    [
      "a long text compared often",
      { anyOf: times(900, () => ({ allOf: [{ const: "x".repeat(2_000) }, false] })) },
      "x".repeat(2_000)
    ],
    ["a long list compared often", { allOf: times(300, () => ({ const: texts })) }, texts],
    ["items made distinct often", { allOf: times(30, () => ({ uniqueItems: true })) }, times(40_000, (i) => i)],
    [
      "many required names of many items",
      { items: { not: { required: [...times(900, (i) => `n${i}`), "m"] } } },
      times(2_000, () => Object.fromEntries(times(900, (i) => [`n${i}`, 1])))
    ],
    [
      "a long list looked through often for what nothing is",
      {
        $defs: { a: { allOf: times(400, () => ({ minContains: 0, contains: false })) } },
        allOf: times(50, () => ({ $ref: "#/$defs/a" }))
      },
      times(131_000, () => 0)
    ],
    ["a long list of anything, often", { allOf: times(400, () => ({ items: true })) }, times(131_000, () => 0)],
    ["a reference to itself", loop(again), 1],
    ["parts that each refer to the whole", loop({ allOf: [again] }), 1],
    ["an alternative that refers to the whole", loop({ anyOf: [{ type: "null" }, again] }), 1],
    ["thirty parts that each ask twice for the next", chain(30, (next) => ({ anyOf: [next, next] })), 1],
    ["levels that each ask twice for the next", loop({ allOf: [{ items: again }, { items: again }] }), nested(90)]
  ]
  for (const [what, schema, value] of CHECKS) {
    it(`is given up, and refuses the value: ${what}`, () => {
      assert.strictEqual(mismatchDetail(schema, value), "it cannot be checked within 1000000 steps")
    })
  }

  it("is not one of a form that leads to itself once for each place", () => {
    const list = loop({
      type: "object",
      properties: { next: { anyOf: [{ type: "null" }, again] }, id: { type: "integer" } }
    })
    assert.isUndefined(mismatchDetail(list, { id: 1, next: { id: 2, next: null } }))
    assert.isNotEmpty(mismatchDetail(list, { id: 1, next: { id: "two", next: null } }))
    const tree = loop({ type: "object", properties: { left: again, right: again, size: { type: "integer" } } })
    assert.isUndefined(mismatchDetail(tree, { left: { size: 1 }, right: { right: { size: 2 } } }))
    assert.isNotEmpty(mismatchDetail(tree, { left: { size: 1 }, right: { right: { size: "2" } } }))
    assert.isUndefined(mismatchDetail(loop({ items: again }), nested(100)))
  })

  it("is not one of the largest input in a plain form", () => {
    assert.isUndefined(
      mismatchDetail(
        { items: { type: "integer", minimum: 0 } },
        times(131_000, () => 1)
      )
    )
    const row = {
      type: "object",
      properties: { id: { type: "integer" } },
      required: ["id"],
      additionalProperties: false
    }
    assert.isUndefined(
      mismatchDetail(
        { type: "array", items: row, uniqueItems: true },
        times(15_000, (id) => ({ id }))
      )
    )
  })
})

describe("a schema with a flaw", () => {
  const FLAWS: ReadonlyArray<readonly [pointer: string, schema: Schema.Json]> = [
    ["type", { type: "spaceship" }],
    ["properties/a/type", { properties: { a: { type: 1 } } }],
    ["properties/a", { properties: { a: "string" } }],
    ["items", { items: [{}] }],
    ["anyOf/1/minimum", { anyOf: [{}, { minimum: "1" }] }],
    ["required", { required: "a" }],
    ["minLength", { minLength: -1 }],
    ["multipleOf", { multipleOf: 0 }],
    ["minContains", { contains: {}, minContains: 0.5 }],
    ["$defs/a/enum", { $defs: { a: { enum: 1 } } }],
    ["$ref", { $ref: "#/$defs/b", $defs: { a: {} } }],
    ["not/$ref", { not: { $ref: "https://example.com/form.json" } }],
    ["items/$ref", { items: { $ref: "#nowhere" } }],
    ["$id", { allOf: [{ $id: "https://example.com/inner" }] }],
    ["unevaluatedProperties", { unevaluatedProperties: false }]
  ]
  for (const [pointer, schema] of FLAWS) {
    it(`is reported with its place: ${JSON.stringify(schema)}`, () => {
      const path = schemaFlawOf(schema)?.path.join("/")
      assert.isTrue(path?.endsWith(pointer), path)
    })
  }

  it("is not one with annotations, keywords that nobody knows, and references inside of it", () => {
    const schema = {
      $id: "https://example.com/form",
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "A form",
      format: "email",
      "x-order": 1,
      anyOf: [{ $ref: "#a" }, { $ref: "#/definitions/b%25" }, { $ref: "#/$defs/c~1d" }],
      $defs: { a: { $anchor: "a", const: 1 }, "c/d": { const: 3 } },
      definitions: { "b%": { const: 2 } }
    }
    assert.isUndefined(schemaFlawOf(schema))
    for (const value of [1, 2, 3]) assert.isUndefined(mismatchDetail(schema, value))
    assert.isNotEmpty(mismatchDetail(schema, 4))
  })
})

describe("checks by schemas made at random", () => {
  it("agree with those of another implementation", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    let state = 7
    const below = (count: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return Math.floor((state / 2 ** 32) * count)
    }
    const pick = <A>(items: ReadonlyArray<A>): A => items[below(items.length)] as A
    const some = <A>(make: () => A): Array<A> => times(1 + below(3), make)
    const times = <A>(count: number, make: () => A): Array<A> => Array.from({ length: count }, () => make())
    const value = (depth: number): Schema.Json => {
      const kind = below(depth === 0 ? 4 : 6)
      if (kind === 4) return times(below(4), () => value(depth - 1))
      if (kind === 5) return Object.fromEntries(times(below(4), () => [pick(["a", "b", "c"]), value(depth - 1)]))
      return pick<Schema.Json>([null, true, false, 0, 1, 2.5, -3, "", "a", "bb", "\u{1f600}"])
    }
    const schema = (depth: number): Schema.Json => {
      if (depth === 0) return pick<Schema.Json>([true, { type: "string" }, { const: 1 }, { type: "integer" }, false])
      const inner = () => schema(depth - 1)
      const members = () => Object.fromEntries(some(() => [pick(["a", "b", "c"]), inner()]))
      const keywords: Record<string, () => Schema.Json> = {
        type: () =>
          pick<Schema.Json>(["object", "array", "number", ["string", "null", "object"], ["array", "integer"]]),
        enum: () => [...new Set(some(() => JSON.stringify(value(2))))].map((text) => JSON.parse(text)),
        const: () => value(2),
        minimum: () => below(3),
        exclusiveMaximum: () => below(3),
        multipleOf: () => pick([0.5, 1, 2]),
        minLength: () => below(3),
        maxLength: () => below(3),
        minItems: () => below(3),
        maxItems: () => below(3),
        uniqueItems: () => true,
        minProperties: () => below(3),
        maxProperties: () => below(3),
        required: () => [pick(["a", "b"])],
        dependentRequired: () => ({ [pick(["a", "b"])]: ["c"] }),
        dependentSchemas: members,
        properties: members,
        additionalProperties: inner,
        propertyNames: () => ({ enum: ["a", "b"] }),
        prefixItems: () => some(inner),
        items: inner,
        allOf: () => some(inner),
        anyOf: () => some(inner),
        oneOf: () => some(inner),
        not: inner,
        if: inner,
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: inner,
        else: inner
      }
      return Object.fromEntries(some(() => pick(Object.keys(keywords))).map((name) => [name, keywords[name]!()]))
    }
    let fitting = 0
    for (let round = 0; round < 500; round++) {
      const made = schema(3)
      const fits = ajv.compile(made as object)
      for (const given of times(4, () => value(3))) {
        const expected = fits(given)
        if (expected) fitting++
        assert.strictEqual(mismatchDetail(made, given) === undefined, expected, JSON.stringify([made, given]))
      }
    }
    assert.isAbove(fitting, 300)
    assert.isBelow(fitting, 1_700)
  })
})
