/** How the client reads event streams. */
import { assert, describe, it } from "@effect/vitest"
import { makeEventReader } from "../src/serverSentEvents.ts"

const readAll = (...chunks: ReadonlyArray<string>) => {
  const read = makeEventReader()
  return chunks.flatMap((chunk) => [...read(chunk)])
}

const STREAM =
  ': hello\n\nid: 1\nevent: run.queued\ndata: {"a":1}\n\nid: 2\ndata: one\ndata: two\n\nretry: 500\n\ndata:x\n\n'

const SAID = [
  { id: "1", event: "run.queued", data: '{"a":1}' },
  { id: "2", event: "message", data: "one\ntwo" },
  { retryMillis: 500 },
  { id: "2", event: "message", data: "x" }
]

describe("an event stream", () => {
  it("is read event by event, comments left out", () => {
    assert.deepStrictEqual(readAll(STREAM), SAID)
  })

  it("is read the same however it is cut, and whatever ends its lines", () => {
    for (const text of [STREAM, STREAM.replaceAll("\n", "\r\n"), STREAM.replaceAll("\n", "\r")]) {
      for (let at = 1; at < text.length; at++) {
        const said = readAll(text.slice(0, at), text.slice(at), ": end\n")
        assert.deepStrictEqual(said, SAID, `${JSON.stringify(text.slice(at - 2, at))} ${at}`)
      }
    }
  })

  it("says an id that comes without an event, once", () => {
    const event = { id: "at:7", event: "message", data: "x" }
    assert.deepStrictEqual(readAll("id: at:7\n\n: comment\n\ndata: x\n\n\n"), [{ lastEventId: "at:7" }, event])
  })

  it("says nothing of an event that is not ended", () => {
    assert.deepStrictEqual(readAll("id: 1\ndata: x\n"), [])
  })
})
