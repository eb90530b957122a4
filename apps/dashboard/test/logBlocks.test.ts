/** The log of a run as people read it. */
import type { RunEvent } from "@agent-platform/client"
import { assert, describe, it } from "vitest"
import { type Block, withEvents } from "../src/screens/run/logBlocks.ts"

const eventsOf = (...given: ReadonlyArray<readonly [type: RunEvent["type"], data: object]>): ReadonlyArray<RunEvent> =>
  given.map(([type, data], place) => {
    const at = { run_id: "r", session_id: "s", seq: place + 1, created_at: "2026-11-21T08:55:16.580Z", attempt: 1 }
    return { ...at, type, data } as RunEvent
  })

const textsOf = (blocks: ReadonlyArray<Block>) =>
  blocks.map((block) =>
    block.is === "text" ? `${block.of}: ${block.text}` : block.is === "line" ? block.title : block.is
  )

describe("a text in pieces", () => {
  it("is one text, whatever batches its pieces come in", () => {
    const events = eventsOf(
      ["run.started", {}],
      ["reasoning.delta", { text: "Hm" }],
      ["reasoning.delta", { text: "m." }],
      ["reasoning.completed", { text: "Hmm." }],
      ["message.delta", { text: "Loo" }],
      ["message.delta", { text: "king." }],
      ["message.completed", { text: "Looking." }],
      ["message.delta", { text: "Found." }],
      ["run.succeeded", {}]
    )
    const wanted = ["Started", "reasoning: Hmm.", "message: Looking.", "message: Found.", "Succeeded"]
    for (let size = 1; size <= events.length; size++) {
      let blocks: ReadonlyArray<Block> = []
      for (let from = 0; from < events.length; from += size)
        blocks = withEvents(blocks, events.slice(from, from + size))
      assert.deepStrictEqual(textsOf(blocks), wanted, `in batches of ${size}`)
    }
  })

  it("is the whole text where its first pieces were not seen", () => {
    const blocks = withEvents(
      [],
      eventsOf(["message.delta", { text: "king." }], ["message.completed", { text: "Looking." }])
    )
    assert.deepStrictEqual(textsOf(blocks), ["message: Looking."])
  })
})

describe("calls of tools", () => {
  it("get each its own result, in whatever order these come", () => {
    const blocks = withEvents(
      [],
      eventsOf(
        ["tool.started", { name: "find", tool_call_id: "a", arguments: "1" }],
        ["tool.started", { name: "find", tool_call_id: "b", arguments: "2" }],
        ["tool.completed", { name: "find", tool_call_id: "b", result: "two", duration_ms: 5 }],
        ["tool.completed", { name: "find", tool_call_id: "a", result: "one", is_error: true }]
      )
    )
    const seen = blocks.map((block) => block.is === "tool" && [block.input, block.output, block.isError, block.isOpen])
    assert.deepStrictEqual(seen, [
      ["1", "one", true, false],
      ["2", "two", false, false]
    ])
  })
})

describe("blocks that did not change", () => {
  it("stay the same objects, so that they are not drawn anew", () => {
    const before = withEvents([], eventsOf(["run.started", {}], ["message.delta", { text: "A" }]))
    const after = withEvents(before, [{ ...eventsOf(["message.delta", { text: "B" }])[0], seq: 3 } as RunEvent])
    assert.strictEqual(after[0], before[0])
    assert.notStrictEqual(after[1], before[1])
    assert.strictEqual(after[1]?.key, before[1]?.key)
  })
})
