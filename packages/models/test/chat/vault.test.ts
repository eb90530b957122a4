/** The workspace's secrets in the requests of an agent's tools, over real HTTP. */

import type { WorkspaceCaller } from "@agent-platform/kernel"
import { parseHostPattern, type ToolSecret, ToolSecrets } from "@agent-platform/keys"
import { anOAuthClient } from "@agent-platform/keys/testing"
import { startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { type Answer, type Asked, json, ScriptedServer } from "./ScriptedServer.ts"
import { aChatAgent, aKey, ended, founded, layer, logOf, trigger } from "./support.ts"
import { calls, says } from "./wire.ts"

const VALUE = 'vault "value"/0123456789'

const keep = Effect.fnUntraced(function* (
  caller: WorkspaceCaller,
  {
    header = "x-api-key",
    oauth = null,
    url,
    value = VALUE
  }: {
    readonly url: string
    readonly header?: string
    readonly value?: string
    readonly oauth?: ToolSecret["oauth"]
  }
) {
  const secrets = yield* ToolSecrets
  const { value: secret } = yield* secrets.createToolSecret({
    caller,
    name: `${header} of ${new URL(url).host}`,
    hostPattern: parseHostPattern(new URL(url).host)!,
    header,
    oauth,
    value: Redacted.make(value),
    idempotency: undefined
  })
  return secret
})

/** An agent with these tools beside a model, and the services that they call: each answered by its path. */
const given = Effect.fnUntraced(function* (
  services: Readonly<Record<string, Answer>>,
  servers: Parameters<typeof aChatAgent>[2] = []
) {
  const caller = yield* founded()
  yield* aKey(caller)
  const server = yield* ScriptedServer
  const agent = yield* aChatAgent(
    caller,
    { tools: ["http_request"] },
    servers.map((one) => ({ ...one, url: `${server.url}${one.url}` }))
  )
  yield* startRunWorker({ drainSeconds: 0 })
  const execute = Effect.fnUntraced(function* (...models: ReadonlyArray<Answer>) {
    const before = server.asked.length
    const answers = [...models]
    server.script((response, asked) => {
      if (asked.url === "/v1/chat/completions") return answers.shift()?.(response, asked)
      return (services[asked.url] ?? json(404, {}))(response, asked)
    })
    const run = yield* ended(caller, (yield* trigger(caller, agent)).id)
    const all = server.asked.slice(before)
    const toModel = all.filter(({ url }) => url === "/v1/chat/completions")
    const messages = toModel.at(-1)?.body["messages"] as unknown as ReadonlyArray<Record<string, unknown>>
    return {
      run,
      log: yield* logOf(caller, run.id),
      to: (path: string) => all.filter(({ url }) => url === path),
      modelText: toModel.map(({ text }) => text).join("\n"),
      result: String(messages.findLast(({ role }) => role === "tool")?.["content"])
    }
  })
  return { caller, server, execute }
})

const request = (url: string, input: object = {}) =>
  calls({ id: "call_1", name: "http_request", input: { url, ...input } })

const echo: Answer = (response, asked) =>
  json(
    200,
    { sent: asked.headers, raw: asked.headers["x-api-key"] },
    { location: `/?key=${encodeURIComponent(String(asked.headers["x-api-key"]))}` }
  )(response, asked)

describe("a secret of the workspace", () => {
  it.live(
    "is sent by http_request, whatever the model says of the header, and gets into nothing that the run leaves behind",
    () =>
      Effect.gen(function* () {
        const { caller, execute, server } = yield* given({ "/orders": echo })
        yield* keep(caller, server)
        const headers = { "X-API-Key": "of the model", "x-other": "kept" }
        const seen = yield* execute(request(`${server.url}/orders`, { headers }), says("Done."))
        const [asked] = seen.to("/orders")
        assert.deepInclude(asked?.headers, { "x-api-key": VALUE, "x-other": "kept" })
        assert.include(seen.result, "[redacted: secret]")
        for (const left of [seen.modelText, JSON.stringify([seen.run, seen.log])]) {
          assert.notInclude(left, "0123456789")
          assert.notInclude(left, encodeURIComponent(VALUE))
        }
      }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("is not sent to another host, port or workspace, nor once it is deleted", () =>
    Effect.gen(function* () {
      const { caller, execute, server } = yield* given({ "/orders": echo })
      const other = "http://127.0.0.1:1"
      yield* keep(caller, { url: other })
      yield* keep(yield* founded(), server)
      const before = yield* execute(request(`${server.url}/orders`), says("Done."))
      assert.notProperty(before.to("/orders")[0]?.headers, "x-api-key")
      const secret = yield* keep(caller, server)
      const during = yield* execute(request(`${server.url}/orders`), says("Done."))
      assert.deepInclude(during.to("/orders")[0]?.headers, { "x-api-key": VALUE })
      yield* ToolSecrets.use((secrets) => secrets.deleteToolSecret({ caller, id: secret.id }))
      const after = yield* execute(request(`${server.url}/orders`), says("Done."))
      assert.notProperty(after.to("/orders")[0]?.headers, "x-api-key")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("is found in an answer that is cut through the middle of it, and by its parts", () =>
    Effect.gen(function* () {
      const { caller, execute, server } = yield* given({
        "/orders": (response, { headers }) =>
          void response.end("x".repeat(64 * 1024 - 10) + headers["x-api-key"] + "y".repeat(20_000)),
        // So often that what is left of it once it is replaced is shorter than what may be shown, and its last one is cut.
        "/often": (response, { headers }) =>
          void response.end("x".repeat(15) + `${headers["x-api-key"]}!`.repeat(10_000)),
        "/password": json(200, { user: "somebody", password: "password-0123" })
      })
      yield* keep(caller, server)
      const basic = `Basic ${Buffer.from("somebody:password-0123").toString("base64")}`
      yield* keep(caller, { ...server, header: "authorization", value: basic })
      const seen = yield* execute(request(`${server.url}/orders`), says("Done."))
      assert.notInclude(seen.modelText, VALUE.slice(0, 8))
      const often = yield* execute(request(`${server.url}/often`), says("Done."))
      assert.include(often.result, "[redacted: secret]!")
      assert.notInclude(often.modelText, VALUE.slice(0, 6))
      const again = yield* execute(request(`${server.url}/password`), says("Done."))
      assert.notInclude(again.modelText, "password-0123")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("is sent to servers of tools, where the agent's own header of that name stays", () =>
    Effect.gen(function* () {
      const mcp: Answer = (response, { body, headers }) => {
        const id = body?.["id"]
        const result =
          String(body?.["method"]) === "initialize"
            ? { protocolVersion: "2025-06-18", capabilities: {} }
            : { tools: [{ name: "a", description: `You sent ${headers["x-api-key"]}`, inputSchema: {} }], content: [] }
        return id === undefined
          ? void response.writeHead(202).end()
          : json(200, { jsonrpc: "2.0", id, result })(response, {} as Asked)
      }
      const { caller, execute, server } = yield* given({ "/open": mcp, "/own": mcp }, [
        { name: "open", url: "/open" },
        { name: "own", url: "/own", headers: { "X-Api-Key": "own-value-0123" } }
      ])
      yield* keep(caller, server)
      const seen = yield* execute(calls({ id: "call_1", name: "open_a", input: {} }), says("Done."))
      assert.deepInclude(seen.run, { status: "succeeded" })
      assert.isAtLeast(seen.to("/open").length, 4)
      for (const { headers } of seen.to("/open")) assert.strictEqual(headers["x-api-key"], VALUE)
      for (const { headers } of seen.to("/own")) assert.strictEqual(headers["x-api-key"], "own-value-0123")
      assert.notInclude(seen.modelText, "0123456789")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})

describe("an OAuth client of the workspace", () => {
  /** A token endpoint with a token of its own for each request. */
  const issuing = () => {
    let issued = 0
    const answer: Answer = (response, asked) => {
      issued += 1
      return json(200, { access_token: `access-token-${issued}`, token_type: "Bearer", expires_in: 3_600 })(
        response,
        asked
      )
    }
    return answer
  }
  const demanding =
    (wanted: () => string): Answer =>
    (response, asked) =>
      json(asked.headers.authorization === wanted() ? 200 : 401, { sent: asked.headers.authorization })(response, asked)

  it.live("is sent as a token, which serves until its host refuses it and is then fetched anew, once", () =>
    Effect.gen(function* () {
      let wanted = "Bearer access-token-1"
      const { caller, execute, server } = yield* given({ "/token": issuing(), "/orders": demanding(() => wanted) })
      const oauth = anOAuthClient({ tokenUrl: `${server.url}/token` })
      yield* keep(caller, { ...server, header: "authorization", oauth, value: "client-secret-0123" })
      const first = yield* execute(request(`${server.url}/orders`), request(`${server.url}/orders`), says("Done."))
      assert.deepStrictEqual([first.to("/token").length, first.to("/orders").length], [1, 2])
      assert.include(first.result, '"status":200')
      assert.notInclude(first.modelText, "access-token")
      wanted = "Bearer access-token-2"
      const second = yield* execute(request(`${server.url}/orders`, { method: "POST", body: "{}" }), says("Done."))
      assert.deepStrictEqual([second.to("/token").length, second.to("/orders").length], [1, 2])
      assert.include(second.result, '"status":200')
      wanted = "nothing"
      const third = yield* execute(request(`${server.url}/orders`), says("Done."))
      assert.deepStrictEqual([third.to("/token").length, third.to("/orders").length], [1, 2])
      assert.include(third.result, '"status":401')
      assert.notInclude(JSON.stringify([first.log, second.log, third.log]), "access-token")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("fails its tool where there is no token, and nothing is sent", () =>
    Effect.gen(function* () {
      const { caller, execute, server } = yield* given({
        "/token": json(401, { error: "invalid_client", error_description: "client-secret-0123" }),
        "/orders": json(200, {})
      })
      const oauth = anOAuthClient({ tokenUrl: `${server.url}/token` })
      yield* keep(caller, { ...server, header: "authorization", oauth, value: "client-secret-0123" })
      const seen = yield* execute(request(`${server.url}/orders`), says("Well."))
      assert.deepInclude(seen.run, { status: "succeeded", message: "Well." })
      assert.match(
        seen.result,
        /^Nothing was sent\. There is no access token .*: the token endpoint answered 401 invalid_client$/
      )
      assert.isEmpty(seen.to("/orders"))
      assert.notInclude(JSON.stringify([seen.modelText, seen.log]), "client-secret-0123")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("is sent as a token to a server of tools, and fetched anew where that refuses it", () =>
    Effect.gen(function* () {
      let wanted = "Bearer access-token-1"
      const mcp: Answer = (response, asked) => {
        if (asked.headers.authorization !== wanted) return json(401, {})(response, asked)
        const id = asked.body?.["id"]
        if (id === undefined) return void response.writeHead(202).end()
        const isList = String(asked.body["method"]) === "tools/list"
        // The token is withdrawn while the tools are listed.
        if (isList) wanted = "Bearer access-token-2"
        const result = isList
          ? { tools: [{ name: "a", inputSchema: {} }] }
          : { content: [{ type: "text", text: "It is 42." }] }
        return json(200, { jsonrpc: "2.0", id, result })(response, asked)
      }
      const { caller, execute, server } = yield* given({ "/token": issuing(), "/mcp": mcp }, [
        { name: "my", url: "/mcp" }
      ])
      const oauth = anOAuthClient({ tokenUrl: `${server.url}/token` })
      yield* keep(caller, { ...server, header: "authorization", oauth, value: "client-secret-0123" })
      const seen = yield* execute(calls({ id: "call_1", name: "my_a", input: {} }), says("42."))
      assert.deepInclude(seen.run, { status: "succeeded", message: "42." })
      assert.strictEqual(seen.result, "It is 42.")
      assert.strictEqual(seen.to("/token").length, 2)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
