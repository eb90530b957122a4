/** An agent that chats remembers the turns before: the tools that it used, whichever way those turns ended. */
import { CheckpointStore, type Run, Runs, startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, json, ScriptedServer } from "./ScriptedServer.ts"
import { aChatAgent, aKey, ended, founded, layer, trigger } from "./support.ts"
import { calls, endsWith, says, thinks } from "./wire.ts"

const given = Effect.fnUntraced(function* () {
  const caller = yield* founded()
  yield* aKey(caller)
  const agent = yield* aChatAgent(caller, { tools: ["http_request", "ask_user"] })
  yield* startRunWorker({ drainSeconds: 0 })
  const server = yield* ScriptedServer
  /** A turn of the session, to its end. */
  const turn = Effect.fnUntraced(function* (
    prompt: string,
    answers: ReadonlyArray<Answer>,
    session: Pick<Run, "sessionId"> | undefined = undefined,
    of = agent
  ) {
    server.script(...answers)
    const run = yield* trigger(caller, of, { prompt, sessionId: session?.sessionId })
    return yield* ended(caller, run.id)
  })
  /** The messages that the model was asked with last, in short. */
  const asked = () => {
    const models = server.asked.filter(({ url }) => url === "/v1/chat/completions")
    const messages = models.at(-1)?.body["messages"] as unknown as ReadonlyArray<Record<string, unknown>>
    return messages.slice(1).map(({ content, role, tool_calls }) => {
      const made = ((tool_calls ?? []) as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id)
      return `${role}: ${made.length > 0 ? `calls ${made.join(", ")}` : String(content)}`
    })
  }
  const request = (id: string) => ({ id, name: "http_request", input: { url: `${server.url}/${id}` } })
  return { agent, asked, caller, request, server, turn }
})

const result = (body: string) =>
  `tool: {"status":200,"headers":{"content-type":"application/json"},"body":${JSON.stringify(body)}}`
const LEFT = "tool: There is no result: the turn ended before there was one"

describe("an agent that chats remembers", () => {
  it.live("the tools that it used in earlier turns, with their results", () =>
    Effect.gen(function* () {
      const { asked, request, turn } = yield* given()
      const first = yield* turn("One", [calls(request("a")), json(200, { a: 1 }), says("A.")])
      yield* turn("Two", [calls(request("b")), json(200, { b: 2 }), says("B.")], first)
      yield* turn("Three", [says("C.")], first)
      assert.deepStrictEqual(asked(), [
        ...["user: One", "assistant: calls a", result('{"a":1}'), "assistant: A."],
        ...["user: Two", "assistant: calls b", result('{"b":2}'), "assistant: B."],
        "user: Three"
      ])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("what was done in a turn that failed", () =>
    Effect.gen(function* () {
      const { asked, request, turn } = yield* given()
      const first = yield* turn("One", [calls(request("a")), json(200, { a: 1 }), endsWith("stop", "")])
      assert.strictEqual(first.status, "failed")
      yield* turn("Two", [says("B.")], first)
      assert.deepStrictEqual(asked(), ["user: One", "assistant: calls a", result('{"a":1}'), "user: Two"])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("of turns of another agent the words alone, and its own as they were", () =>
    Effect.gen(function* () {
      const { asked, caller, request, turn } = yield* given()
      const other = yield* aChatAgent(caller, { tools: ["http_request"] })
      const first = yield* turn("One", [calls(request("a")), json(200, { a: 1 }), says("A.")])
      yield* turn("Two", [calls(request("b")), json(200, { b: 2 }), says("B.")], first, other)
      assert.deepStrictEqual(asked().slice(0, 3), ["user: One", "assistant: A.", "user: Two"])
      yield* turn("Three", [says("C.")], first)
      assert.deepStrictEqual(asked(), [
        ...["user: One", "assistant: calls a", result('{"a":1}'), "assistant: A."],
        ...["user: Two", "assistant: B.", "user: Three"]
      ])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("a question that nobody has answered, and goes on with it when somebody does", () =>
    Effect.gen(function* () {
      const { asked, caller, server, turn } = yield* given()
      const question = calls({ id: "q", name: "ask_user", input: { question: "Which?" } })
      const asking = yield* turn("One", [question])
      yield* turn("Two", [says("B.")], asking)
      assert.deepStrictEqual(asked(), ["user: One", "assistant: calls q", LEFT, "user: Two"])
      server.script(says("C."))
      const runs = yield* Runs
      const reply = yield* runs.replyToSession({ caller, sessionId: asking.sessionId, message: "This" })
      yield* ended(caller, reply.value.id)
      assert.deepStrictEqual(asked(), [
        ...["user: Two", "assistant: B."],
        ...["user: One", "assistant: calls q", 'tool: {"answer":"This"}']
      ])
      yield* turn("Three", [says("D.")], asking)
      assert.deepStrictEqual(asked().slice(-3), ['tool: {"answer":"This"}', "assistant: C.", "user: Three"])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("nothing beside the session's messages where only words were said", () =>
    Effect.gen(function* () {
      const { turn } = yield* given()
      const first = yield* turn("One", [says("A.")])
      const kept = CheckpointStore.use((store) => store.load(first.workspaceId, first.id))
      assert.isUndefined(yield* kept)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("a model's reasoning, which no other model is shown", () =>
    Effect.gen(function* () {
      const { agent, asked, caller, request, server, turn } = yield* given()
      const first = yield* turn("One", [thinks("Hm, hm.", "A.")])
      yield* turn("Two", [calls(request("a.b:1")), json(200, {}), says("B.")], first)
      assert.include(server.asked.at(-1)?.text, "Hm, hm.")
      assert.include(asked(), "assistant: calls a.b:1")
      yield* Runs.use((runs) =>
        runs.updateAgent({ caller, agentId: agent.id, settings: { model: "openai_compatible/other" } })
      )
      yield* turn("Three", [says("C.")], first)
      assert.notInclude(server.asked.at(-1)?.text, "Hm, hm.")
      assert.deepStrictEqual(asked().slice(0, 2), ["user: One", "assistant: A."])
      assert.include(asked(), "assistant: calls call_1_a_b_1")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("of a model that has lost its tools the words alone", () =>
    Effect.gen(function* () {
      const { agent, asked, caller, request, turn } = yield* given()
      const first = yield* turn("One", [calls(request("a")), json(200, { a: 1 }), says("A.")])
      yield* Runs.use((runs) => runs.updateAgent({ caller, agentId: agent.id, settings: { tools: [] } }))
      yield* turn("Two", [says("B.")], first)
      assert.deepStrictEqual(asked(), ["user: One", "assistant: A.", "user: Two"])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
