import { assert, describe, it } from "@effect/vitest"
import { makeReplicaMarks } from "../src/replica/ReplicaMarks.ts"

const KEEP_SECONDS = 60

describe("the marks of a primary's log", () => {
  it("say since when a standby may have missed something", () => {
    const marks = makeReplicaMarks(KEEP_SECONDS)
    assert.isUndefined(marks.freshAt(100n))
    for (const [position, at] of [
      [100n, 1],
      [250n, 2],
      [250n, 3],
      [400n, 4]
    ] as const) {
      marks.note(position, at)
    }
    assert.isUndefined(marks.freshAt(99n))
    assert.strictEqual(marks.freshAt(100n), 1)
    assert.strictEqual(marks.freshAt(249n), 1)
    // Nothing was written for a while: it has missed nothing until the last time that it was so.
    assert.strictEqual(marks.freshAt(250n), 3)
    assert.strictEqual(marks.freshAt(10_000n), 4)
  })

  it("are forgotten after a while, so that a standby that is paused is not fresh by one of long ago", () => {
    const marks = makeReplicaMarks(KEEP_SECONDS)
    for (let at = 0; at < 1_000; at++) marks.note(BigInt(at), at)
    assert.isUndefined(marks.freshAt(BigInt(999 - KEEP_SECONDS)))
    assert.strictEqual(marks.freshAt(BigInt(1_000 - KEEP_SECONDS)), 1_000 - KEEP_SECONDS)
  })

  it("begin anew where the log goes back, as it may after a failover", () => {
    const marks = makeReplicaMarks(KEEP_SECONDS)
    marks.note(100n, 1)
    marks.note(500n, 2)
    marks.note(300n, 3)
    assert.isUndefined(marks.freshAt(200n))
    assert.strictEqual(marks.freshAt(500n), 3)
  })
})
