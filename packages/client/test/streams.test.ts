/** How the client reads event streams. */
import { assert, describe, it } from "@effect/vitest"
import { createClient } from "../src/index.ts"
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

describe("a stream that is followed", () => {
  /** A client whose streams are these, one after another, and what it has asked for. */
  const streaming = (...bodies: ReadonlyArray<string>) => {
    const asked: Array<string | null> = []
    const client = createClient({
      baseUrl: "https://agents.test",
      apiKey: "k",
      fetch: async (_, init) => {
        asked.push(new Headers(init?.headers).get("last-event-id"))
        return new Response(`retry: 1\n\n${bodies[asked.length - 1] ?? ""}`)
      }
    })
    return { asked, client }
  }
  const NOTICE = 'id: n1\nevent: run.failed\ndata: {"id":"one"}\n\n'

  it("says where it begins, once and before its first item, over connections that break before there is one", async () => {
    const { asked, client } = streaming("", "id: at:7\n\n", `id: at:7\n\n${NOTICE}`)
    const begun: Array<string> = []
    const notices = client.followNotifications({ onBegin: (place) => begun.push(place) })
    assert.strictEqual((await notices.next()).value?.position, "n1")
    assert.deepStrictEqual([asked, begun], [[null, null, "at:7"], ["at:7"]])
  })

  it("says how many notices are unread where some have become read, and gives none for it", async () => {
    const { client } = streaming(`id: n0\nevent: read\ndata: {"unread_count":3}\n\n${NOTICE}`)
    const counts: Array<number> = []
    const notices = client.followNotifications({ onRead: (count) => counts.push(count) })
    assert.strictEqual((await notices.next()).value?.position, "n1")
    assert.deepStrictEqual(counts, [3])
  })

  it("says no beginning where it goes on after something", async () => {
    const { asked, client } = streaming(`id: n0\n\n${NOTICE}`)
    const begun: Array<string> = []
    await client.followNotifications({ after: "n0", onBegin: (place) => begun.push(place) }).next()
    assert.deepStrictEqual([asked, begun], [["n0"], []])
  })
})
