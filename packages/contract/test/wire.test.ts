import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { text } from "../src/v1/formats.ts"
import { wire } from "../src/v1/wire.ts"

const Part = wire({ partName: text("Its name") })
const Whole = wire({ wholeId: text("Its id"), parts: Schema.Array(Part), onlyPart: Schema.NullOr(Part) })

describe("a struct over the wire", () => {
  it("is written with its own members alone, at every depth", () => {
    const part = { partName: "one", sealedSecret: "s" }
    const whole = { wholeId: "w", parts: [part], onlyPart: part, sealedSecret: "s", organizationId: "o" }
    assert.deepStrictEqual(Schema.encodeSync(Schema.toCodecJson(Whole))(whole), {
      whole_id: "w",
      parts: [{ part_name: "one" }],
      only_part: { part_name: "one" }
    })
  })
})
