/** The server before and after the interface is there. */
import { once } from "node:events"
import type { Server } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { makeNodeServer } from "../src/nodeServer.ts"

describe("a server whose interface is not there", () => {
  let server: Server
  let port: number
  const ask = () => fetch(`http://127.0.0.1:${port}/readyz`)
  const requests: Array<unknown> = []
  const listener = (request: unknown, response: { readonly end: (text: string) => void }) => {
    requests.push(request)
    response.end("here")
  }

  beforeEach(async () => {
    requests.length = 0
    server = makeNodeServer("http://agents.example.com")()
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    port = (server.address() as AddressInfo).port
  })

  afterEach(() => {
    server.close()
  })

  it("has requests wait until it is, but for those whose caller has left", async () => {
    const leaving = connect(port, "127.0.0.1", () => leaving.write("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n"))
    const [, left] = await once(server, "connection").then(([socket]) => [leaving, socket] as const)
    const asked = [ask(), ask()]
    const connections = () =>
      new Promise<number>((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
      )
    while ((await connections()) < 3) await new Promise(setImmediate)
    leaving.destroy()
    await once(left, "close")
    server.on("request", listener)
    for (const answer of asked) assert.strictEqual(await (await answer).text(), "here")
    assert.strictEqual(requests.length, 2)
  })

  it("answers 503 after it has gone, and nothing in between", async () => {
    server.on("request", listener)
    assert.strictEqual(await (await ask()).text(), "here")
    server.off("request", listener)
    const late = await ask()
    assert.strictEqual(late.status, 503)
    assert.strictEqual(late.headers.get("retry-after"), "1")
    assert.include(await late.json(), { code: "unavailable", instance: "/" })
  })
})
