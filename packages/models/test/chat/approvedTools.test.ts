/** Approvals of servers' tools hold whatever those are called in a turn, and reach the tool that was meant. */
import { type Agent, type ReplyToSession, type Run, Runs, startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, json, ScriptedServer } from "./ScriptedServer.ts"
import { aChatAgent, aKey, ended, founded, layer, logOf, trigger } from "./support.ts"
import { calls, says } from "./wire.ts"

/** The tools of each server, by its path; one without does not answer. */
type Offers = Readonly<Record<string, ReadonlyArray<string>>>

const serverOf =
  (offers: Offers, model: Array<Answer>): Answer =>
  (response, asked) => {
    if (asked.url === "/v1/chat/completions") return model.shift()?.(response, asked)
    const offered = offers[asked.url]
    if (offered === undefined) return void response.destroy()
    const result = (value: unknown) => json(200, { jsonrpc: "2.0", id: asked.body["id"], result: value })
    switch (String(asked.body?.["method"])) {
      case "initialize":
        return result({ protocolVersion: "2025-06-18", capabilities: { tools: {} } })(response, asked)
      case "tools/list":
        return result({ tools: offered.map((name) => ({ name, inputSchema: { type: "object" } })) })(response, asked)
      case "tools/call":
        return result({ content: [{ type: "text", text: `Done by ${asked.url}` }] })(response, asked)
      default:
        return void response.writeHead(202).end()
    }
  }

/** An agent with servers of these names, each at the path of its name. */
const given = Effect.fnUntraced(function* (
  approvals: ReadonlyArray<string>,
  names: ReadonlyArray<string>,
  override: Partial<Agent> = {}
) {
  const caller = yield* founded()
  yield* aKey(caller)
  const server = yield* ScriptedServer
  const servers = names.map((name) => ({ name, url: `${server.url}/${name}` }))
  const agent = yield* aChatAgent(caller, { approvals, ...override }, servers)
  yield* startRunWorker({ drainSeconds: 0 })
  const begin = Effect.fnUntraced(function* (offers: Offers, ...model: Array<Answer>) {
    server.script(serverOf(offers, model))
    return yield* ended(caller, (yield* trigger(caller, agent, { prompt: "Do it" })).id)
  })
  const reply = Effect.fnUntraced(function* (
    { sessionId }: Run,
    said: Partial<ReplyToSession>,
    offers: Offers,
    ...model: Array<Answer>
  ) {
    server.script(serverOf(offers, model))
    const { value } = yield* Runs.use((runs) => runs.replyToSession({ caller, sessionId, message: null, ...said }))
    return yield* ended(caller, value.id)
  })
  const called = () => server.asked.filter(({ body }) => String(body?.["method"]) === "tools/call")
  return { begin, called, caller, reply, server }
})

const call = (name: string, id = "a") => calls({ id, name, input: {} })

const namesIn = ({ interrupt }: Run) =>
  ((interrupt?.["calls"] ?? []) as unknown as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name)

describe("approvals of servers' tools", () => {
  const long = "x".repeat(80)
  const cases: ReadonlyArray<readonly [string, approval: string, Offers, ReadonlyArray<string>]> = [
    ["that is listed twice", "crm_refund", { "/crm": ["refund", "refund"] }, ["crm_refund", "crm_refund_2"]],
    ["that another server has, too", "a_b_c", { "/a": ["b_c"], "/a_b": ["c"] }, ["a_b_c", "a_b_c_2"]],
    ["whose name has other characters", "crm_re.fund", { "/crm": ["re.fund"] }, ["crm_re_fund"]],
    ["whose name is cut", `crm_${long}`, { "/crm": [long] }, [`crm_${long}`.slice(0, 64)]]
  ]
  for (const [which, approval, offers, shown] of cases) {
    it.live(`cover one ${which}`, () =>
      Effect.gen(function* () {
        const servers = Object.keys(offers).map((path) => path.slice(1))
        const { begin, called, caller } = yield* given([approval], servers)
        const answer = calls(...shown.map((name, place) => ({ id: `c${place}`, name, input: {} })))
        const paused = yield* begin(offers, answer)
        assert.strictEqual(paused.interrupt?.["type"], "approvals")
        assert.deepStrictEqual(namesIn(paused), shown)
        assert.isEmpty(called())
        const log = yield* logOf(caller, paused.id)
        assert.isEmpty(log.filter(({ type }) => type === "log"))
      }).pipe(Effect.scoped, Effect.provide(layer))
    )
  }

  it.live("leave other tools alone where every name has one", () =>
    Effect.gen(function* () {
      const { begin, called } = yield* given(["crm_refund", "http_request"], ["crm"])
      const run = yield* begin({ "/crm": ["refund", "find"] }, call("crm_find"), says("Found."))
      assert.deepInclude(run, { paused: false, message: "Found." })
      assert.strictEqual(called().length, 1)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("by a name that only tells a tool from another cover every tool: it may be another's in the next turn", () =>
    Effect.gen(function* () {
      const { begin, called, caller } = yield* given(["crm_refund_2"], ["crm"])
      const answer = calls(
        ...["crm_refund", "crm_refund_2"].map((name, place) => ({ id: `c${place}`, name, input: {} }))
      )
      const paused = yield* begin({ "/crm": ["refund", "refund"] }, answer)
      assert.deepStrictEqual(namesIn(paused), ["crm_refund", "crm_refund_2"])
      assert.isEmpty(called())
      assert.match(JSON.stringify(yield* logOf(caller, paused.id)), /no tool is called 'crm_refund_2'/)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("by a name that a tool has of its own leave alone one that is only shown like it", () =>
    Effect.gen(function* () {
      const { begin, called } = yield* given(["crm_refund_2"], ["crm"])
      const run = yield* begin(
        { "/crm": ["refund", "refund", "refund_2"] },
        calls({ id: "a", name: "crm_refund_2", input: {} }, { id: "b", name: "crm_refund_2_2", input: {} })
      )
      assert.deepStrictEqual(namesIn(run), ["crm_refund_2_2"])
      assert.strictEqual(called().length, 1)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("cover every tool of servers where a name has none, which the log says", () =>
    Effect.gen(function* () {
      const { begin, called, caller } = yield* given(["crm_refund"], ["crm", "gone"])
      const paused = yield* begin({ "/crm": ["pay_back"] }, call("crm_pay_back"))
      assert.deepStrictEqual(namesIn(paused), ["crm_pay_back"])
      assert.isEmpty(called())
      assert.match(JSON.stringify(yield* logOf(caller, paused.id)), /no tool is called 'crm_refund'/)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})

describe("a call that was approved", () => {
  const approvals = [{ toolCallId: "a", decision: "approve" }] as const
  const both: Offers = { "/a": ["b_c"], "/a_b": ["c"] }

  it.live("reaches the tool that was called for", () =>
    Effect.gen(function* () {
      const { begin, called, reply } = yield* given(["a_b_c"], ["a", "a_b"])
      const paused = yield* begin(both, call("a_b_c_2"))
      assert.deepInclude(yield* reply(paused, { approvals }, both, says("Done.")), { message: "Done." })
      assert.deepStrictEqual(
        called().map(({ url }) => url),
        ["/a_b"]
      )
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("is not made where its name is another tool's by then, which the model learns", () =>
    Effect.gen(function* () {
      const { begin, called, reply, server } = yield* given(["a_b_c"], ["a", "a_b"])
      const paused = yield* begin(both, call("a_b_c"))
      const done = yield* reply(paused, { approvals }, { "/a_b": ["c"] }, says("Not done."))
      assert.deepInclude(done, { paused: false, message: "Not done." })
      assert.isEmpty(called())
      const asked = server.asked.filter(({ url }) => url === "/v1/chat/completions").at(-1)
      assert.match(asked?.text ?? "", /its tool has been replaced/)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
