/** Servers of tools, spoken to over real HTTP by the Model Context Protocol. */
import { startRunWorker } from "@agent-platform/runs"
import { MCPMock } from "@copilotkit/aimock/mcp"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, type Asked, events, json, ScriptedServer } from "./ScriptedServer.ts"
import { aChatAgent, aKey, ended, founded, layer, logOf, trigger } from "./support.ts"
import { calls, says } from "./wire.ts"

const SECRET = "mcp-secret-0123456789"

const TOOL = {
  name: "look up",
  description: "Looks something up",
  inputSchema: { type: "object", properties: { what: { type: "string" } }, required: ["what"] }
}

/** How a server of tools differs from a plain one. */
interface Manner {
  /** Answers as streams of events instead of JSON. */
  readonly streams?: boolean
  readonly result?: (asked: Asked) => unknown
  /** Forgets every session before the first call. */
  readonly forgets?: boolean
  readonly introduction?: Answer
}

/** A server of tools beside a model: what is for the model is answered by `model`. */
const serverOfTools = (manner: Manner, model: ReadonlyArray<Answer>): Answer => {
  const answers = [...model]
  let sessions = 0
  let forgot = false
  const result = (id: unknown, value: unknown): Answer => {
    const message = { jsonrpc: "2.0", id, result: value }
    // Something else comes before the answer, as it may in a stream.
    return manner.streams === true
      ? events({ jsonrpc: "2.0", method: "notifications/progress", params: {} }, message)
      : json(200, message)
  }
  return (response, asked) => {
    if (asked.url === "/v1/chat/completions") return answers.shift()?.(response, asked)
    if (asked.method === "DELETE") return void response.writeHead(200).end()
    const id: unknown = asked.body["id"]
    switch (String(asked.body["method"])) {
      case "initialize":
        sessions += 1
        if (manner.introduction !== undefined) return manner.introduction(response, asked)
        response.setHeader("mcp-session-id", `session-${sessions}`)
        return result(id, { protocolVersion: "2025-06-18", capabilities: { tools: {} } })(response, asked)
      case "tools/list": {
        const isFirst = asked.body["params"]?.["cursor"] === undefined
        return result(id, isFirst ? { tools: [], nextCursor: "2" } : { tools: [TOOL] })(response, asked)
      }
      case "tools/call":
        if (manner.forgets === true && !forgot) {
          forgot = true
          return json(404, { error: "no such session" })(response, asked)
        }
        return result(id, manner.result?.(asked) ?? { content: [{ type: "text", text: "It is 42." }] })(response, asked)
      default:
        return void response.writeHead(202).end()
    }
  }
}

const call = (input: unknown = { what: "x" }) => calls({ id: "call_1", name: "my-tools_look_up", input })

/** Executes a turn of an agent with one server of tools, which is shown a secret. */
const execute = Effect.fnUntraced(function* (manner: Manner, ...model: ReadonlyArray<Answer>) {
  const caller = yield* founded()
  yield* aKey(caller)
  const server = yield* ScriptedServer
  const servers = [{ name: "my-tools", url: `${server.url}/mcp`, headers: { Authorization: `Bearer ${SECRET}` } }]
  const agent = yield* aChatAgent(caller, {}, servers)
  yield* startRunWorker({ drainSeconds: 0 })
  server.script(serverOfTools(manner, model))
  const run = yield* ended(caller, (yield* trigger(caller, agent)).id)
  const models = server.asked.filter(({ url }) => url === "/v1/chat/completions")
  const requests = server.asked.filter(({ url }) => url === "/mcp")
  return { run, models, requests, server, log: yield* logOf(caller, run.id) }
})

const resultIn = (asked: Asked | undefined) => {
  const messages = (asked?.body["messages"] ?? []) as unknown as ReadonlyArray<Record<string, unknown>>
  return String(messages.at(-1)?.["content"])
}

describe("a server of tools", () => {
  for (const streams of [false, true]) {
    it.live(`is introduced to, asked for its tools and used${streams ? ", where it answers in streams" : ""}`, () =>
      Effect.gen(function* () {
        const { models, run, server, requests } = yield* execute({ streams }, call(), says("42."))
        assert.deepInclude(run, { status: "succeeded", error: null, message: "42." })
        assert.deepInclude(models[0]?.body["tools"]?.[0]?.["function"] as object, {
          name: "my-tools_look_up",
          description: TOOL.description,
          parameters: TOOL.inputSchema
        })
        assert.strictEqual(resultIn(models[1]), "It is 42.")
        yield* server.until((asked) => asked.some(({ method }) => method === "DELETE"))
        assert.deepStrictEqual(
          requests.map(({ body }) => String(body?.["method"])).filter((method) => method !== "undefined"),
          ["initialize", "notifications/initialized", "tools/list", "tools/list", "tools/call"]
        )
        const used = requests.find(({ body }) => String(body?.["method"]) === "tools/call")
        assert.deepStrictEqual(used?.body["params"] as unknown, { name: "look up", arguments: { what: "x" } })
        assert.deepInclude(used?.headers, {
          authorization: `Bearer ${SECRET}`,
          "mcp-session-id": "session-1",
          "mcp-protocol-version": "2025-06-18"
        })
      }).pipe(Effect.scoped, Effect.provide(layer))
    )
  }

  it.live("is introduced to again when it has forgotten the session", () =>
    Effect.gen(function* () {
      const { models, run, requests } = yield* execute({ forgets: true }, call(), says("42."))
      assert.deepInclude(run, { status: "succeeded", message: "42." })
      assert.strictEqual(resultIn(models[1]), "It is 42.")
      assert.deepStrictEqual(
        requests
          .filter(({ body }) => String(body?.["method"]) === "tools/call")
          .map(({ headers }) => headers["mcp-session-id"]),
        ["session-1", "session-2"]
      )
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("cannot answer with JSON that is nested too deep, which the model learns", () =>
    Effect.gen(function* () {
      const deep = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels))
      for (const value of [{ structuredContent: { deep: deep(3_000) } }, { content: deep(120) }]) {
        const { log, models, run } = yield* execute({ result: () => value }, call(), says("Too deep."))
        assert.deepInclude(run, { status: "succeeded", message: "Too deep." })
        assert.strictEqual(resultIn(models[1]), "The tool failed: What it sent is nested deeper than 100 levels")
        assert.deepInclude(log.find(({ type }) => type === "tool.completed")?.data, { is_error: true })
      }
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("fails the run with a notification, a description or a list of tools that is nested too deep", () =>
    Effect.gen(function* () {
      const deep = JSON.parse("[".repeat(3_000) + "]".repeat(3_000))
      const notification = { jsonrpc: "2.0", method: "notifications/progress", params: { deep } }
      const answer = { jsonrpc: "2.0", id: 1, result: { protocolVersion: "2025-06-18", more: deep } }
      for (const introduction of [
        events(notification, { ...answer, result: {} }),
        json(200, answer),
        json(200, [answer])
      ]) {
        const { models, run } = yield* execute({ introduction })
        assert.deepInclude(run, { status: "failed", errorCode: "agent_error" })
        assert.match(run.error ?? "", /'my-tools' is of no use: What it sent is nested deeper than 100 levels/)
        assert.isEmpty(models)
      }
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("gives the model its failures", () =>
    Effect.gen(function* () {
      const result = () => ({ isError: true, content: [{ type: "text", text: "Nothing is known of it" }] })
      const { log, models, run } = yield* execute({ result }, call(), says("Nothing."))
      assert.deepInclude(run, { status: "succeeded", message: "Nothing." })
      assert.strictEqual(resultIn(models[1]), "Nothing is known of it")
      assert.deepInclude(log.find(({ type }) => type === "tool.completed")?.data, { is_error: true })
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("gets its secrets neither into the log nor to the model when it repeats them", () =>
    Effect.gen(function* () {
      const result = (asked: Asked) => ({
        content: [{ type: "text", text: `You sent ${asked.headers.authorization}` }]
      })
      const { log, models, run } = yield* execute({ result }, call({ what: SECRET }), says(`It said ${SECRET} to me.`))
      assert.notInclude(resultIn(models[1]), SECRET)
      assert.include(resultIn(models[1]), "[redacted: secret]")
      assert.notInclude(JSON.stringify([run, log]), SECRET)
      assert.strictEqual(run.message, "It said [redacted: secret] to me.")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("fails the run before anything is paid for when it cannot be spoken to", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [Answer, RegExp]> = [
        [json(401, {}), /'my-tools' is of no use: It answered 401/],
        [json(200, { jsonrpc: "2.0", id: 1, error: { code: -32_000, message: "Not today" } }), /Not today/],
        [json(200, { jsonrpc: "2.0", id: 999, result: {} }), /did not answer the request/],
        [(response) => response.destroy(), /'my-tools' is of no use/]
      ]
      for (const [introduction, error] of cases) {
        const { models, run } = yield* execute({ introduction })
        assert.deepInclude(run, { status: "failed", errorCode: "agent_error" })
        assert.match(run.error ?? "", error)
        assert.isEmpty(models)
      }
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("may be somebody else's implementation", () =>
    Effect.gen(function* () {
      const mock = new MCPMock({ port: 0 })
      mock.addTool({ ...TOOL, name: "look_up" })
      mock.onToolCall("look_up", () => "It is 43.")
      const url = yield* Effect.acquireRelease(
        Effect.promise(() => mock.start()),
        () => Effect.promise(() => mock.stop())
      )
      const caller = yield* founded()
      yield* aKey(caller)
      const agent = yield* aChatAgent(caller, {}, [{ name: "my-tools", url }])
      yield* startRunWorker({ drainSeconds: 0 })
      const server = yield* ScriptedServer
      server.script(call(), says("43."))
      assert.deepInclude(yield* ended(caller, (yield* trigger(caller, agent)).id), { status: "succeeded", error: null })
      assert.include(resultIn(server.asked[1]), "It is 43.")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
