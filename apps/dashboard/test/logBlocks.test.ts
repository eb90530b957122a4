/** The log of a run as people read it. */
import type { RunEvent } from "@agent-platform/client"
import { assert, describe, it } from "vitest"
import { type Block, EMPTY_LOG, withEvents } from "../src/screens/run/logBlocks.ts"
import { tokensOf } from "../src/screens/run/tokensOf.ts"

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
      let log = EMPTY_LOG
      for (let from = 0; from < events.length; from += size) log = withEvents(log, events.slice(from, from + size))
      assert.deepStrictEqual(textsOf(log.blocks), wanted, `in batches of ${size}`)
    }
  })

  it("is the whole text where its first pieces were not seen", () => {
    const { blocks } = withEvents(
      EMPTY_LOG,
      eventsOf(["message.delta", { text: "king." }], ["message.completed", { text: "Looking." }])
    )
    assert.deepStrictEqual(textsOf(blocks), ["message: Looking."])
  })

  it("stands between what happened meanwhile, and comes once", () => {
    const { blocks } = withEvents(
      EMPTY_LOG,
      eventsOf(
        ["message.delta", { text: "Looking. " }],
        ["tool.started", { name: "find" }],
        ["tool.completed", { name: "find", result: "it" }],
        ["message.delta", { text: "Found." }],
        ["message.completed", { text: "I am Looking. Found." }],
        ["message.delta", { text: "Broken" }],
        ["run.retrying", { reason: "worker_lost" }],
        ["message.delta", { text: "Again." }],
        ["message.completed", { text: "Again." }],
        ["message.delta", { text: "my key is sk-1" }],
        ["message.completed", { text: "my key is …" }]
      )
    )
    assert.deepStrictEqual(textsOf(blocks), [
      "message: I am Looking. ",
      "tool",
      "message: Found.",
      "message: Broken",
      "Queued again",
      "message: Again.",
      "message: my key is …"
    ])
  })
})

describe("a question", () => {
  it("is said once, where the run asks it and ends on it", () => {
    const { blocks } = withEvents(
      EMPTY_LOG,
      eventsOf(["interrupt.requested", { message: "May I?" }], ["run.paused", { message: "May I?" }])
    )
    assert.deepStrictEqual(
      blocks.map((block) => block.is === "line" && [block.title, block.text]),
      [
        ["Asked", "May I?"],
        ["Paused", ""]
      ]
    )
  })
})

describe("a text that was too large to be kept whole", () => {
  it("is that of its pieces, and says where something was cut off", () => {
    const { blocks } = withEvents(
      EMPTY_LOG,
      eventsOf(
        ["message.delta", { text: "A" }],
        ["message.delta", { text: "B" }],
        ["message.completed", { text: "A", truncated: true, bytes: 70_000 }],
        ["log", { message: "long", truncated: true, bytes: 80_000 }]
      )
    )
    assert.deepStrictEqual(textsOf(blocks), ["message: AB", "Log"])
    assert.deepStrictEqual(
      blocks.map(({ cut }) => cut),
      [undefined, 80_000]
    )
  })
})

describe("a log of whatever form", () => {
  it("is read in linear time", () => {
    const kinds: ReadonlyArray<ReadonlyArray<readonly [RunEvent["type"], object]>> = [
      [["message.completed", { text: "a" }]],
      [["tool.started", { name: "find" }]],
      [["tool.completed", { name: "find", result: "it" }]],
      [
        ["message.delta", { text: "a" }],
        ["reasoning.delta", { text: "b" }]
      ]
    ]
    const log = kinds.flatMap((kind) => Array.from({ length: 100_000 / kind.length }, () => kind).flat())
    const { blocks } = withEvents(
      EMPTY_LOG,
      log.flatMap((event) => eventsOf(event))
    )
    assert.lengthOf(blocks, 300_000)
  }, 20_000)
})

describe("calls of tools", () => {
  it("get each its own result, in whatever order these come", () => {
    const { blocks } = withEvents(
      EMPTY_LOG,
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
    const log = withEvents(EMPTY_LOG, eventsOf(["run.started", {}], ["message.delta", { text: "A" }]))
    const next = { ...eventsOf(["message.delta", { text: "B" }])[0], seq: 3 } as RunEvent
    const [before, after] = [log.blocks, withEvents(log, [next]).blocks]
    assert.strictEqual(after[0], before[0])
    assert.notStrictEqual(after[1], before[1])
    assert.strictEqual(after[1]?.key, before[1]?.key)
  })
})

it("a call of a model says how many tokens it had, and nothing of them where it failed before there were any", () => {
  assert.deepStrictEqual(tokensOf({ status: "ok", input_tokens: 12, output_tokens: null }), [
    "12 tokens in",
    "– tokens out"
  ])
  assert.deepStrictEqual(tokensOf({ status: "error", input_tokens: null, output_tokens: null }), [])
  assert.deepStrictEqual(tokensOf({ status: "error", input_tokens: 12, output_tokens: null }), ["12 tokens in"])
})
