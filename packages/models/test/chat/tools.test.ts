/** An agent's tools over real HTTP, and the results that its model gets when they fail. */
import { STEPS_MAX } from "@agent-platform/models"
import { startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { layerAdmitting } from "../layerAdmitting.ts"
import { RecordedSpend } from "./RecordedSpend.ts"
import { type Answer, json, ScriptedServer } from "./ScriptedServer.ts"
import { aChatAgent, aKey, ended, founded, layer, layerWith, logOf, trigger } from "./support.ts"
import { calls, says } from "./wire.ts"

const given = Effect.fnUntraced(function* (tools: ReadonlyArray<string>) {
  const caller = yield* founded()
  yield* aKey(caller)
  const agent = yield* aChatAgent(caller, { tools })
  yield* startRunWorker({ drainSeconds: 0 })
  const server = yield* ScriptedServer
  /** Runs the agent, and answers its run, its log and the last results that the model got. */
  const execute = Effect.fnUntraced(function* (...answers: ReadonlyArray<Answer>) {
    server.script(...answers)
    const run = yield* ended(caller, (yield* trigger(caller, agent)).id)
    const log = yield* logOf(caller, run.id)
    const models = server.asked.filter(({ url }) => url === "/v1/chat/completions")
    const messages = models.at(-1)?.body["messages"] as unknown as ReadonlyArray<Record<string, unknown>>
    const results = messages.filter(({ role }) => role === "tool").map(({ content }) => String(content))
    const completed = log.filter(({ type }) => type === "tool.completed").map(({ data }) => data)
    return { run, log, results, completed }
  })
  return { caller, agent, server, execute, spend: yield* RecordedSpend }
})

const request = (input: unknown) => calls({ id: "call_1", name: "http_request", input })

describe("the tool http_request", () => {
  it.live("makes a request and answers with its result", () =>
    Effect.gen(function* () {
      const { execute, server } = yield* given(["http_request"])
      const input = { method: "PUT", url: `${server.url}/orders/7`, headers: { "x-a": "1" }, body: "{}" }
      const seen = yield* execute(request(input), json(201, { ok: true }, { "x-hidden": "1" }), says("Done."))
      assert.deepInclude(seen.run, { status: "succeeded", message: "Done." })
      const asked = server.asked.find(({ url }) => url === "/orders/7")
      assert.deepInclude(asked, { method: "PUT", text: "{}" })
      assert.strictEqual(asked?.headers["x-a"], "1")
      assert.deepStrictEqual(JSON.parse(seen.results[0] ?? ""), {
        status: 201,
        headers: { "content-type": "application/json" },
        body: '{"ok":true}'
      })
      const started = seen.log.find(({ type }) => type === "tool.started")
      assert.deepInclude(started?.data, { name: "http_request", tool_call_id: "1.call_1" })
      assert.deepInclude(seen.completed[0], { name: "http_request", is_error: false, truncated: false })
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("cuts off what is too long, and says so", () =>
    Effect.gen(function* () {
      const { execute, server } = yield* given(["http_request"])
      const long = (response: Parameters<Answer>[0]) => void response.writeHead(200).end("x".repeat(200_000))
      const seen = yield* execute(request({ url: server.url }), long, says("Long."))
      const result = JSON.parse(seen.results[0] ?? "")
      assert.strictEqual(result.body.length, 64 * 1024)
      assert.isTrue(result.truncated)
      assert.deepInclude(seen.completed[0], { truncated: true })
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("gives the model the fault in a call, and lets it go on", () =>
    Effect.gen(function* () {
      const { execute, server } = yield* given(["http_request"])
      const cases = [
        [{ id: "1", name: "http_request", input: { method: "TRACE", url: server.url } }, /The arguments must be/],
        [{ id: "1", name: "http_request", input: "{ not json" }, /must be a JSON object/],
        [{ id: "1", name: "http_request", input: { url: "http://93.184.216.34/" } }, /must use https/],
        [{ id: "1", name: "rm", input: {} }, /There is no tool 'rm'. There are: http_request/]
      ] as const
      for (const [call, expected] of cases) {
        const seen = yield* execute(calls(call), says("Well."))
        assert.deepInclude(seen.run, { status: "succeeded", message: "Well." })
        assert.match(seen.results[0] ?? "", expected)
        assert.deepInclude(seen.completed[0], { is_error: true })
      }
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("reaches nothing on loopback where only other purposes are admitted there", () =>
    Effect.gen(function* () {
      const { execute, server } = yield* given(["http_request"])
      const seen = yield* execute(request({ url: `${server.url}/inside` }), says("No."))
      assert.match(seen.results[0] ?? "", /There was no answer/)
      assert.isFalse(server.asked.some(({ url }) => url === "/inside"))
    }).pipe(
      Effect.scoped,
      Effect.provide(layerWith(undefined, layerAdmitting("webhooks", "agents", "providers", "mcp")))
    )
  )

  it.live("reaches what the operator admits for tools, though it is not public", () =>
    Effect.gen(function* () {
      const { execute, server } = yield* given(["http_request"])
      const seen = yield* execute(request({ url: `${server.url}/inside` }), json(200, { inside: true }), says("Yes."))
      assert.include(seen.results[0] ?? "", "inside")
      assert.isTrue(server.asked.some(({ url }) => url === "/inside"))
    }).pipe(Effect.scoped, Effect.provide(layerWith(undefined, layerAdmitting("providers", "tools"))))
  )
})

describe("an agent that chats", () => {
  it.live("does everything else that its model called for before it ends on a question", () =>
    Effect.gen(function* () {
      const { execute, server } = yield* given(["http_request", "ask_user"])
      const seen = yield* execute(
        calls(
          { id: "a", name: "ask_user", input: { question: "Which one?" } },
          { id: "b", name: "http_request", input: { url: `${server.url}/b` } },
          { id: "c", name: "ask_user", input: { question: "And when?" } }
        ),
        json(200, {})
      )
      assert.deepInclude(seen.run, { status: "succeeded", paused: true, message: "Which one?" })
      assert.isTrue(server.asked.some(({ url }) => url === "/b"))
      assert.strictEqual(seen.log.filter(({ type }) => type === "interrupt.requested").length, 1)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("reports a question that is none to its model", () =>
    Effect.gen(function* () {
      const { execute } = yield* given(["ask_user"])
      const seen = yield* execute(calls({ id: "a", name: "ask_user", input: { text: "?" } }), says("Sorry."))
      assert.deepInclude(seen.run, { paused: false, message: "Sorry." })
      assert.match(seen.results[0] ?? "", /ask_user takes/)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("offers its model no tool that its settings do not name", () =>
    Effect.gen(function* () {
      const { execute, server } = yield* given([])
      const seen = yield* execute(calls({ id: "a", name: "ask_user", input: { question: "?" } }), says("Fine."))
      assert.isUndefined(server.asked[0]?.body["tools"])
      assert.match(seen.results[0] ?? "", /There is no tool 'ask_user'. There are: none/)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("fails when its model does not come to an end", () =>
    Effect.gen(function* () {
      const { execute, spend } = yield* given([])
      const seen = yield* execute(calls({ id: "a", name: "again", input: {} }))
      assert.deepInclude(seen.run, { status: "failed", errorCode: "agent_error" })
      assert.match(seen.run.error ?? "", new RegExp(`in ${STEPS_MAX} steps`))
      assert.strictEqual(spend.calls.length, STEPS_MAX)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
