import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"
import { interruptMismatchOf, mismatchOf } from "../src/jsonSchema.ts"

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
    for (const schema of [{ not: { type: "string" } }, { $ref: "https://example.com/form.json" }]) {
      assert.isUndefined(interruptMismatchOf({ schema }, "anything"))
    }
    assert.isUndefined(interruptMismatchOf({ schema: { type: "string", pattern: "(a+)+$" } }, `${"a".repeat(50)}!`))
  })
})

describe("a form that would take too long to check", () => {
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

  const FORMS: ReadonlyArray<readonly [what: string, schema: Schema.Json, data: Schema.Json]> = [
    ["it refers to itself", loop(again), 1],
    ["each of its parts refers to itself", loop({ allOf: [again] }), 1],
    ["one of several refers to itself", loop({ anyOf: [{ type: "null" }, again] }), 1],
    ["each of thirty parts asks twice for the next", chain(30, (next) => ({ anyOf: [next, next] })), 1],
    ["each level of a value asks twice for the next", loop({ anyOf: [{ items: again }, { items: again }] }), nested(90)]
  ]
  for (const [what, schema, data] of FORMS) {
    it(`is not followed where ${what}`, () => {
      assert.isUndefined(mismatchOf(schema, data))
    })
  }

  it("is none where it leads to itself once for each place", () => {
    const list = loop({
      type: "object",
      properties: { next: { anyOf: [{ type: "null" }, again] }, id: { type: "integer" } }
    })
    assert.isUndefined(mismatchOf(list, { id: 1, next: { id: 2, next: null } }))
    assert.isNotEmpty(mismatchOf(list, { id: 1, next: { id: "two", next: null } }))
    const tree = loop({ type: "object", properties: { left: again, right: again, size: { type: "integer" } } })
    assert.isUndefined(mismatchOf(tree, { left: { size: 1 }, right: { right: { size: 2 } } }))
    assert.isNotEmpty(mismatchOf(tree, { left: { size: 1 }, right: { right: { size: "2" } } }))
  })
})
