/** The client in a web application: how large it is there, and that it runs wherever there is a web platform. */
import { fileURLToPath } from "node:url"
import { createContext, runInContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { BUNDLE_BYTES_MAX, bundlesOf } from "../../../infra/release/bundles.ts"

const bundles = await bundlesOf(fileURLToPath(new URL("..", import.meta.url)), "createClient", "@agent-platform/client")

describe.each(bundles)("the client, bundled by $by", ({ bytes, code }) => {
  it(`has at most ${BUNDLE_BYTES_MAX} bytes, compressed`, () => assert.isAtMost(bytes, BUNDLE_BYTES_MAX))

  it("works in a realm that has what browsers have, and nothing of Node's", async () => {
    const asked: Array<unknown> = []
    const context = createContext({
      AbortController,
      TextDecoder,
      URLSearchParams,
      clearTimeout,
      crypto,
      setTimeout,
      fetch: async (url: string, { body, headers, method }: RequestInit) => {
        asked.push([method, url, body, Object.keys(headers ?? {}).toSorted()])
        if (url.endsWith("/logs")) return new Response('id: 1\nevent: run.failed\ndata: {"type":"run.failed"}\n\n')
        return Response.json({ run_id: "r1" }, { status: 202 })
      }
    })
    const found = await runInContext(
      `${code};
      (async () => {
        const client = bundled({ baseUrl: "https://agents.test", apiKey: "k" })
        const run = await client.runs.triggerRun({ body: { agent_id: "a" } })
        const types = []
        for await (const event of client.followRun(run.run_id)) types.push(event.type)
        return types.join()
      })()`,
      context
    )
    assert.strictEqual(found, "run.failed")
    assert.deepStrictEqual(asked, [
      [
        "POST",
        "https://agents.test/api/v1/runs/",
        '{"agent_id":"a"}',
        ["accept", "authorization", "content-type", "idempotency-key"]
      ],
      ["GET", "https://agents.test/api/v1/runs/r1/logs", undefined, ["accept", "authorization"]]
    ])
  })
})
