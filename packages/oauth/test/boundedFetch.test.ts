import { createServer } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { ANSWER_BYTES_MAX, boundedFetch } from "../src/boundedFetch.ts"

/** Asks a server that answers as many bytes as the path says. */
const ask = async (bytes: number) => {
  const server = createServer((_, response) => {
    response.writeHead(bytes === 0 ? 204 : 200, { "content-type": "text/plain", "x-kept": "yes" })
    response.end(Buffer.alloc(bytes, 97))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`
  try {
    const response = await boundedFetch(url, { method: "GET", headers: {}, redirect: "manual", body: undefined })
    return { status: response.status, kept: response.headers.get("x-kept"), length: (await response.text()).length }
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

describe("an answer of a provider", () => {
  it("is read to its bound, with status and headers", async () => {
    assert.deepStrictEqual(await ask(0), { status: 204, kept: "yes", length: 0 })
    assert.deepStrictEqual(await ask(ANSWER_BYTES_MAX), { status: 200, kept: "yes", length: ANSWER_BYTES_MAX })
  })

  it("is given up beyond it", async () => {
    const error = await ask(ANSWER_BYTES_MAX + 1).then(
      () => undefined,
      (failure: unknown) => failure
    )
    assert.instanceOf(error, RangeError)
  })
})
