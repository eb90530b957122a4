/** The client without Effect against the server, and what it does where connections break. */
import { getEventListeners } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { type AgentPlatformClient, ApiProblem, createClient, Unanswered } from "@agent-platform/client"
import { assert, describe, it, layer, vi } from "@effect/vitest"
import { Effect } from "effect"
import { layerWithWorkers, type Tenant, TestApi } from "./support.ts"

const asCaller = <A>(use: (client: AgentPlatformClient, tenant: Tenant) => Promise<A>) =>
  Effect.gen(function* () {
    const api = yield* TestApi
    const tenant = yield* api.tenant
    const client = createClient({ baseUrl: `${api.url}/`, apiKey: tenant.workspaceKey })
    return yield* Effect.promise(() => use(client, tenant))
  })

const refusal = (call: Promise<unknown>): Promise<unknown> => call.catch((failure: unknown) => failure)

layer(layerWithWorkers, { excludeTestServices: true })("the client without Effect", (it) => {
  it.effect("triggers a run, follows its log and reads what came of it, in names as on the wire", () =>
    asCaller(async (client) => {
      const agent = await client.agents.createAgent({ body: { name: "Greeter" } })
      const run = await client.runs.triggerRun({ body: { agent_id: agent.agent_id, message: "Hi" } })
      const types: Array<string> = []
      for await (const event of client.followRun(run.run_id)) types.push(event.type)
      assert.strictEqual(types[0], "run.queued")
      assert.strictEqual(types.at(-1), "run.succeeded")
      const ended = await client.runs.getRun({ params: { run_id: run.run_id }, query: { wait_seconds: 1 } })
      assert.strictEqual(ended.status, "succeeded")
      assert.match(ended.created_at, /Z$/)
    })
  )

  it.effect("goes on with a log after the event that was seen last", () =>
    asCaller(async (client) => {
      const agent = await client.agents.createAgent({ body: { name: "Greeter" } })
      const { run_id } = await client.runs.triggerRun({ body: { agent_id: agent.agent_id, wait_seconds: 20 } })
      const seqs: Array<number> = []
      for await (const event of client.followRun(run_id, { after: 2 })) seqs.push(event.seq)
      assert.strictEqual(seqs[0], 3)
    })
  )

  it.effect("follows a run to its end with browser keys that end before it", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const backend = createClient({ baseUrl: api.url, apiKey: tenant.workspaceKey })
      yield* Effect.promise(async () => {
        const agent = await backend.agents.createAgent({ body: { name: "Slow" } })
        const input = { steps: [{ say: "One" }, { sleep_ms: 5_000 }, { say: "Two" }] }
        const { run_id } = await backend.runs.triggerRun({ body: { agent_id: agent.agent_id, input } })
        let asked = 0
        const page = createClient({
          baseUrl: api.url,
          apiKey: async () => {
            asked++
            const body = { expires_in_seconds: asked === 1 ? 2 : 60 }
            return (await backend.runs.createRunBrowserKey({ params: { run_id }, body })).key ?? ""
          }
        })
        const seqs: Array<number> = []
        for await (const { seq } of page.followRun(run_id)) seqs.push(seq)
        assert.deepStrictEqual(
          seqs,
          Array.from(seqs, (_, index) => index + 1)
        )
        assert.strictEqual(asked, 2)
        assert.strictEqual((await page.runs.getRun({ params: { run_id } })).status, "succeeded")
        assert.strictEqual(asked, 2)
        const refused = (await refusal(page.runs.listRuns())) as ApiProblem
        assert.strictEqual(refused.code, "insufficient_scope")
      })
    })
  )

  it.effect("asks for another key once, however many calls were refused, and gives up where that is refused, too", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey } = yield* api.tenant
      const unknown = workspaceKey.replace(/.$/, (last) => (last === "0" ? "1" : "0"))
      yield* Effect.promise(async () => {
        const given: Array<string> = [unknown, workspaceKey]
        let asked = 0
        const client = createClient({ baseUrl: api.url, apiKey: () => given[asked++] ?? unknown })
        await Promise.all(Array.from({ length: 10 }, () => client.auth.me()))
        assert.strictEqual(asked, 2)
        const hopeless = createClient({ baseUrl: api.url, apiKey: () => unknown })
        assert.strictEqual(((await refusal(hopeless.auth.me())) as ApiProblem).code, "malformed_credential")
        const failing = createClient({ baseUrl: api.url, apiKey: () => Promise.reject(new Error("No backend")) })
        assert.strictEqual(((await refusal(failing.auth.me())) as Error).message, "No backend")
      })
    })
  )

  it.effect("goes through a list item by item over all of its pages", () =>
    asCaller(async (client) => {
      for (let index = 0; index < 5; index++) await client.agents.createAgent({ body: { name: `Agent ${index}` } })
      const names: Array<string> = []
      for await (const agent of client.items.agents.listAgents({ query: { limit: 2 } })) names.push(agent.name)
      assert.deepStrictEqual(names, ["Agent 4", "Agent 3", "Agent 2", "Agent 1", "Agent 0"])
    })
  )

  it.effect("fails with the service's problem", () =>
    asCaller(async (client) => {
      const failure = await refusal(client.runs.getRun({ params: { run_id: "a/b" } }))
      assert.instanceOf(failure, ApiProblem)
      assert.deepInclude(failure as object, { status: 404, code: "not_found", retryable: false })
      assert.match(String((failure as ApiProblem).requestId), /^[0-9a-f-]{36}$/)
      const invalid = await refusal(client.agents.createAgent({ body: { name: "" } }))
      assert.strictEqual((invalid as ApiProblem).problem?.errors?.[0]?.pointer, "/name")
    })
  )

  it.effect("creates once under one Idempotency-Key", () =>
    asCaller(async (client) => {
      const create = () => client.agents.createAgent({ body: { name: "Once" }, idempotencyKey: "once" })
      assert.strictEqual((await create()).agent_id, (await create()).agent_id)
    })
  )
})

describe("the client before a service that fails", () => {
  /** Answers one request after another as given, and keeps them. */
  const served = async <A>(
    answers: ReadonlyArray<(response: ServerResponse, request: IncomingMessage) => void>,
    use: (client: AgentPlatformClient, requests: ReadonlyArray<IncomingMessage>, url: string) => Promise<A>
  ) => {
    const requests: Array<IncomingMessage> = []
    const server = createServer((request, response) => {
      request.resume()
      answers[Math.min(requests.push(request), answers.length) - 1]?.(response, request)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const client = createClient({ baseUrl: url, apiKey: "apk_ws_x", attemptSecondsMax: 1 })
    try {
      return await use(client, requests, url)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }
  const json =
    (status: number, body: object, headers: Readonly<Record<string, string>> = {}) =>
    (response: ServerResponse) =>
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
  const away = json(503, { code: "unavailable", title: "Unavailable", detail: "x" }, { "retry-after": "0" })
  const cut = (response: ServerResponse) => response.socket?.destroy()
  const events = (text: string) => (response: ServerResponse) =>
    response.writeHead(200, { "content-type": "text/event-stream" }).end(text)
  const event = (seq: number, type: string) => `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify({ seq, type })}\n\n`

  it("repeats a creation under one key until it is answered", () =>
    served([away, cut, json(202, { run_id: "1" })], async (client, requests) => {
      const run = await client.runs.triggerRun({ body: { agent_id: "x" } })
      assert.strictEqual(run.run_id, "1")
      const keys = new Set(requests.map(({ headers }) => headers["idempotency-key"]))
      assert.lengthOf(requests, 3)
      assert.strictEqual(keys.size, 1)
      assert.match(String([...keys][0]), /^[0-9a-f-]{36}$/)
    }))

  it("does not repeat a change of which it does not know whether it was done", () =>
    served([cut], async (client, requests) => {
      const change = client.agents.updateAgent({ params: { agent_id: "x" }, body: { name: "y" } })
      assert.instanceOf(await refusal(change), Unanswered)
      assert.lengthOf(requests, 1)
    }))

  it("gives up an attempt that is not answered in time, and repeats it where that is safe", () =>
    served([() => undefined, json(200, { status: "queued" })], async (client) => {
      assert.strictEqual((await client.runs.getRun({ params: { run_id: "x" } })).status, "queued")
    }))

  it("ends at once when it is aborted", () =>
    served([() => undefined], async (client) => {
      const abort = new AbortController()
      const call = refusal(client.runs.getRun({ params: { run_id: "x" }, signal: abort.signal }))
      abort.abort(new Error("enough"))
      assert.strictEqual(((await call) as Error).message, "enough")
    }))

  it("leaves nothing behind on a signal that many calls share", () =>
    served([json(200, {})], async (client) => {
      const { signal } = new AbortController()
      for (let calls = 0; calls < 3; calls++) await client.runs.getRun({ params: { run_id: "x" }, signal })
      assert.isEmpty(getEventListeners(signal, "abort"))
    }))

  it("follows no redirect, so that nothing that is meant for the service goes elsewhere", () =>
    served([json(200, {})], (_, elsewhere, url) =>
      served(
        [(response) => response.writeHead(307, { location: `${url}/api/v1/runs/` }).end()],
        async (client, requests) => {
          const failure = await refusal(client.runs.triggerRun({ body: { agent_id: "x" } }))
          assert.instanceOf(failure, ApiProblem)
          assert.strictEqual((failure as ApiProblem).status, 307)
          assert.lengthOf(requests, 1)
          assert.lengthOf(elsewhere, 0)
        }
      )
    ))

  it("says that there was no whole answer where it broke off", () =>
    served(
      [
        (response) => {
          response.writeHead(200, { "content-type": "application/json", "content-length": "100" }).write("{")
          setImmediate(() => response.socket?.destroy())
        }
      ],
      async (client) => {
        assert.instanceOf(await refusal(client.agents.createAgent({ body: { name: "x" } })), Unanswered)
      }
    ))

  it("goes on with a log when a server that was away for longer than it repeats a request is back", () =>
    served(
      [
        events(`retry: 5\n\n${event(1, "run.queued")}`),
        ...Array.from({ length: 12 }, () => away),
        events(event(2, "run.succeeded"))
      ],
      async (client) => {
        const seqs: Array<number> = []
        for await (const one of client.followRun("x")) seqs.push(one.seq)
        assert.deepStrictEqual(seqs, [1, 2])
      }
    ))

  it("opens a log anew where it broke off, after the event that it saw last, and shows none twice", () =>
    served(
      [
        events(`${event(1, "run.queued")}retry: 5\n\n${event(2, "run.started")}id: 3\nevent: log\ndata: {`),
        cut,
        away,
        events(event(3, "log") + event(4, "run.succeeded"))
      ],
      async (client, requests) => {
        const seqs: Array<number> = []
        for await (const one of client.followRun("x")) seqs.push(one.seq)
        assert.deepStrictEqual(seqs, [1, 2, 3, 4])
        assert.deepStrictEqual(
          requests.map(({ headers }) => headers["last-event-id"]),
          [undefined, "2", "2", "2"]
        )
      }
    ))

  it("comes back to where a stream began that broke off before its first event", () =>
    served(
      [events("retry: 5\n\nid: at:7\n\n"), cut, events(`id: 8\nevent: run.succeeded\ndata: {"id":"8"}\n\n`)],
      async (client, requests) => {
        for await (const one of client.followEvents()) {
          assert.strictEqual(one.id, "8")
          break
        }
        assert.deepStrictEqual(
          requests.map(({ headers }) => headers["last-event-id"]),
          [undefined, "at:7", "at:7"]
        )
      }
    ))

  it("gives up a stream that ends at once again and again, and none that is open for long while nothing happens", async () => {
    let millis = 0
    const now = vi.spyOn(Date, "now").mockImplementation(() => millis)
    // The head arrives before the end does, which is so many seconds later.
    const quiet = (seconds: number) => (response: ServerResponse) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("retry: 1\n\n")
      setTimeout(() => {
        millis += seconds * 1_000
        response.end()
      }, 20)
    }
    try {
      const run = { run_id: "r", status: "queued" }
      const change = events(`id: 1\nevent: run\ndata: ${JSON.stringify(run)}\n\n`)
      await served([...Array.from({ length: 12 }, () => quiet(20)), change], async (client) => {
        const { value } = await client.followRuns().next()
        assert.deepStrictEqual({ ...value }, { position: "1", run })
      })
      await served([quiet(1)], async (client, requests) => {
        assert.instanceOf(await refusal(client.followRuns().next()), Unanswered)
        assert.lengthOf(requests, 8)
      })
    } finally {
      now.mockRestore()
    }
  })

  it("ends a log with the problem where the service will not go on with it", () =>
    served(
      [
        events(`retry: 5\n\n${event(1, "run.queued")}`),
        json(401, { code: "credential_revoked", title: "Credential revoked", detail: "x" })
      ],
      async (client) => {
        const seqs: Array<number> = []
        const followed = refusal(
          (async () => {
            for await (const one of client.followRun("x")) seqs.push(one.seq)
          })()
        )
        assert.strictEqual(((await followed) as ApiProblem).code, "credential_revoked")
        assert.deepStrictEqual(seqs, [1])
      }
    ))
})
