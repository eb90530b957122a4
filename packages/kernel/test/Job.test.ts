import { defineJob } from "@agent-platform/kernel"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

describe("a kind of job", () => {
  it("is called by its domain and what is done", () => {
    assert.strictEqual(defineJob("usage.roll_up", Schema.Null).name, "usage.roll_up")
  })

  it.each(["", "events", "events.", ".dispatch", "Events.dispatch", "events.dispatch'; --", "events.dispatch\n"])(
    "is not called %j",
    (name) => {
      assert.throws(() => defineJob(name, Schema.Null), RangeError)
    }
  )
})
