import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"
import { interruptMismatchOf } from "../src/jsonSchema.ts"

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
