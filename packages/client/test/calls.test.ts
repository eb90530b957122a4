/** The calls against the contract: which there are, and how a request becomes an address and a body. */
import { Api } from "@agent-platform/contract"
import { assert, describe, it } from "@effect/vitest"
import { HttpApi } from "effect/http-api"
import { createClient } from "../src/index.ts"

/**
 * Without a call: those that a browser goes to, streams, which `followRuns`, `followNotifications` and `followEvents` follow, and those of
 * agents, which have a signature or OpenAI's library.
 */
const NO_CALL = [
  "attempts.receiveCallback",
  "gateway.createChatCompletion",
  "gateway.createResponse",
  "login.beginLogin",
  "login.completeLogin",
  "notifications.followNotifications",
  "runs.followRuns",
  "webhooks.followEvents"
]

const answering = (status = 200, body: unknown = {}) => {
  const asked: Array<readonly [string, RequestInit | undefined]> = []
  const client = createClient({
    baseUrl: "https://agents.test/",
    apiKey: "k",
    fetch: async (url, init) => {
      asked.push([String(url), init])
      return new Response(status === 204 ? null : JSON.stringify(body), { status })
    }
  })
  return { asked, client }
}

describe("the client", () => {
  it("has a call for every operation of the contract that is answered as JSON, or with nothing", () => {
    const contract: Array<string> = []
    HttpApi.reflect(Api, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint, group }) => contract.push(`${group.identifier}.${endpoint.identifier}`)
    })
    const { followEvents, followNotifications, followRun, followRuns, items, ...groups } = answering().client
    const streams = [followEvents, followNotifications, followRun, followRuns]
    const calls = Object.entries(groups).flatMap(([group, all]) => Object.keys(all).map((call) => `${group}.${call}`))
    assert.deepStrictEqual([...calls, ...NO_CALL].sort(), contract.sort())
    assert.isTrue(streams.every((follow) => typeof follow === "function"))
    assert.isFunction(items.runs.listRuns)
  })

  it("puts parameters into the address, escaped, and leaves out what a query does not have", async () => {
    const { asked, client } = answering()
    await client.runs.getRun({ params: { run_id: "a/b" }, query: { wait_seconds: 0 } })
    await client.runs.listRuns({ query: { tag: "x y", status: undefined } })
    assert.deepStrictEqual(
      asked.map(([url]) => url),
      ["https://agents.test/api/v1/runs/a%2Fb?wait_seconds=0", "https://agents.test/api/v1/runs/?tag=x+y"]
    )
  })

  it("sends the body of a hook, under a key of its own", async () => {
    const { asked, client } = answering(202)
    await client.hooks.receiveHook({ params: { agent_id: "a", token: "t" }, body: [1] })
    const [url, init] = asked[0] ?? []
    assert.strictEqual(url, "https://agents.test/api/v1/hooks/a/t")
    assert.strictEqual(init?.body, "[1]")
    assert.isDefined(new Headers(init?.headers).get("idempotency-key"))
  })

  it("answers undefined where there is no body", async () => {
    assert.isUndefined(await answering(204).client.loginSessions.logout())
  })

  it("asks nothing without a parameter that the address needs", async () => {
    const { asked, client } = answering()
    const failure = await client.runs.getRun({ params: { run_id: "" } }).catch((error: unknown) => error)
    assert.instanceOf(failure, TypeError)
    assert.lengthOf(asked, 0)
  })
})
