/** The server before and after the interface is there. */
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "vitest"
import { makeNodeServer } from "../src/nodeServer.ts"

describe("a server whose interface is not there", () => {
  it("answers 503 until it is and after it has gone, and nothing in between", async () => {
    const server = makeNodeServer("http://agents.example.com")()
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    const ask = () => fetch(`http://127.0.0.1:${port}/readyz`)
    try {
      const early = await ask()
      assert.strictEqual(early.status, 503)
      assert.strictEqual(early.headers.get("retry-after"), "1")
      assert.include(await early.json(), { code: "unavailable", instance: "/" })
      const listener = (_: unknown, response: { readonly end: (text: string) => void }) => response.end("here")
      server.on("request", listener)
      assert.strictEqual(await (await ask()).text(), "here")
      server.off("request", listener)
      assert.strictEqual((await ask()).status, 503)
    } finally {
      server.close()
    }
  })
})
