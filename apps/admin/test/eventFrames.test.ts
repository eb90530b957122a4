import { assert, describe, it } from "@effect/vitest"
import { makeFrameReader } from "../src/listen/eventFrames.ts"

const STREAM =
  ": this server is there\n\n" +
  'id: 1\nevent: run.succeeded\ndata: {"a":"é 💡: x"}\n\n' +
  ": keep-alive\n\n" +
  "id: 2\r\nevent: run.failed\r\ndata: one\r\ndata: two\r\n\r\n" +
  "event: without.id\ndata: x\n\n" +
  "retry: 1000\n\n"

describe("an event stream", () => {
  it("is read the same however it is cut", () => {
    const expected = [
      { id: "1", type: "run.succeeded", data: '{"a":"é 💡: x"}' },
      { id: "2", type: "run.failed", data: "one\ntwo" }
    ]
    for (const size of [1, 2, 3, 7, 50, STREAM.length]) {
      const reader = makeFrameReader()
      const frames = []
      for (let at = 0; at < STREAM.length; at += size) frames.push(...reader.push(STREAM.slice(at, at + size)))
      assert.deepStrictEqual(frames, expected, `pieces of ${size}`)
      assert.strictEqual(reader.retryMillis(), 1000)
    }
  })

  it("gives an id without an event, as a place to come back to", () => {
    const reader = makeFrameReader()
    assert.deepStrictEqual([...reader.push("id: at:7\n\n: keep-alive\n\nretry: 5\n\n")], [{ id: "at:7" }])
  })

  it("keeps what is not whole for later", () => {
    const reader = makeFrameReader()
    assert.deepStrictEqual([...reader.push("id: 1\nevent: a\ndata: b\n")], [])
    assert.deepStrictEqual([...reader.push("\nid: 2")], [{ id: "1", type: "a", data: "b" }])
    assert.isUndefined(reader.retryMillis())
  })
})
