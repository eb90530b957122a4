/** The answers of an agent that chats, and the requests to its provider: over real HTTP, in the wire form of chat completions. */
import { Runs, startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { RecordedSpend } from "./RecordedSpend.ts"
import { ScriptedServer } from "./ScriptedServer.ts"
import { aChatAgent, aKey, ended, founded, KEY, layer, logOf, trigger } from "./support.ts"
import { calls, endsWith, says } from "./wire.ts"

/** A workspace with a key and an agent, and a worker that executes. */
const given = Effect.fnUntraced(function* (
  ...override: Parameters<typeof aChatAgent> extends [unknown, ...infer Rest] ? Rest : never
) {
  const caller = yield* founded()
  const key = yield* aKey(caller)
  const agent = yield* aChatAgent(caller, ...override)
  yield* startRunWorker({ drainSeconds: 0 })
  return { caller, key, agent, server: yield* ScriptedServer, spend: yield* RecordedSpend }
})

describe("an agent that chats", () => {
  it.live("answers with what its model says, logged piece by piece and then whole", () =>
    Effect.gen(function* () {
      const { agent, caller, server } = yield* given()
      server.script(says("Good", " morning", " to you."))
      const run = yield* trigger(caller, agent)
      const after = yield* ended(caller, run.id)
      assert.deepInclude(after, {
        status: "succeeded",
        message: "Good morning to you.",
        result: "Good morning to you."
      })
      const log = yield* logOf(caller, run.id)
      const logged = log.flatMap(({ data, type }) => (type === "message.delta" ? [data["text"]] : []))
      assert.strictEqual(logged.join(""), "Good morning to you.")
      assert.deepInclude(log.find(({ type }) => type === "message.completed")?.data, { text: "Good morning to you." })
      assert.deepStrictEqual(
        log.map(({ type }) => type).filter((type) => type !== "message.delta"),
        ["run.queued", "run.started", "llm.request", "message.completed", "run.succeeded"]
      )
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("asks with its instructions, its model and the workspace's key, and streams", () =>
    Effect.gen(function* () {
      const { agent, caller, server } = yield* given({ model: "openai_compatible/meta/llama-3" })
      server.script(says("Yes."))
      yield* ended(caller, (yield* trigger(caller, agent, { prompt: "Is it?", input: { order: 7 } })).id)
      const [asked, ...more] = server.asked
      assert.isEmpty(more)
      assert.strictEqual(asked?.url, "/v1/chat/completions")
      assert.strictEqual(asked?.headers.authorization, `Bearer ${KEY}`)
      assert.deepInclude(asked?.body as object, { model: "meta/llama-3", stream: true, max_tokens: 4096 })
      assert.deepStrictEqual(asked?.body["messages"] as unknown, [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "Is it?" },
            { type: "text", text: '{"order":7}' }
          ]
        }
      ])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("records a call with what its provider counted, once", () =>
    Effect.gen(function* () {
      const { agent, caller, key, server, spend } = yield* given()
      server.script(says("Yes."))
      const run = yield* trigger(caller, agent, { maxCostUsd: "1.00" })
      yield* ended(caller, run.id)
      const [recorded, ...more] = spend.calls
      assert.isEmpty(more)
      assert.strictEqual(recorded?.settlements, 1)
      const usage = {
        inputTokens: 120,
        cacheReadTokens: 100,
        cacheWriteTokens: 0,
        outputTokens: 30,
        reasoningTokens: 10
      }
      assert.deepInclude(recorded?.end, { status: "ok", finishReason: "stop", sent: true, usage })
      assert.strictEqual(recorded?.end?.responseModel, "small-2026-01-01")
      assert.deepInclude(recorded?.call, {
        provider: "openai_compatible",
        requestModel: "small",
        outputTokensMax: 4096
      })
      assert.deepStrictEqual(recorded?.call.payer, { source: "byok", keyId: key.id })
      assert.isAtLeast(recorded?.call.inputTokensMax ?? 0, 120)
      assert.deepInclude(recorded?.call.run, { id: run.id, maxCostUsd: "1.00", attempt: 1 })
      const logged = (yield* logOf(caller, run.id)).find(({ type }) => type === "llm.request")
      assert.deepInclude(logged?.data, {
        request_id: recorded?.call.id,
        request_model: "small",
        response_model: "small-2026-01-01",
        status: "ok",
        input_tokens: 120,
        cache_read_tokens: 100,
        output_tokens: 30,
        cost_usd: "0.01",
        key_source: "byok",
        key_id: key.id
      })
      assert.isNumber(logged?.data["duration_ms"])
      assert.isNumber(logged?.data["time_to_first_token_ms"])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("remembers what was said in its session, and in no other", () =>
    Effect.gen(function* () {
      const { agent, caller, server } = yield* given()
      server.script(says("Ann."), says("Other."), says("You are Ann."))
      const first = yield* trigger(caller, agent, { prompt: "I am Ann." })
      yield* ended(caller, first.id)
      yield* ended(caller, (yield* trigger(caller, agent, { prompt: "Elsewhere" })).id)
      yield* ended(caller, (yield* trigger(caller, agent, { prompt: "Who am I?", sessionId: first.sessionId })).id)
      assert.deepStrictEqual(server.asked[2]?.body["messages"] as unknown, [
        { role: "system", content: "Be brief." },
        { role: "user", content: "I am Ann." },
        { role: "assistant", content: "Ann." },
        { role: "user", content: "Who am I?" }
      ])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("ends on a question, and goes on with the answer as what its tool gave back", () =>
    Effect.gen(function* () {
      const { agent, caller, server } = yield* given({ tools: ["ask_user"] })
      const schema = { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] }
      const input = { question: "Refund how much?", options: ["all", "half"], schema }
      server.script(calls({ id: "call_7", name: "ask_user", input }), says("Refunded."))
      const asking = yield* ended(caller, (yield* trigger(caller, agent, { prompt: "Refund me" })).id)
      assert.deepInclude(asking, { status: "succeeded", paused: true, message: "Refund how much?" })
      assert.deepStrictEqual(asking.interrupt, { type: "question", ...input })
      const types = (yield* logOf(caller, asking.id)).map(({ type }) => type)
      assert.includeMembers(types, ["tool.started", "interrupt.requested", "run.paused"])

      const runs = yield* Runs
      const reply = { caller, sessionId: asking.sessionId, message: "Half of it", decision: "half" }
      const refused = yield* Effect.flip(runs.replyToSession({ ...reply, data: { amount: "much" } }))
      assert.strictEqual(refused._tag, "InterruptSchemaMismatch")
      const { value: next } = yield* runs.replyToSession({ ...reply, data: { amount: 20 } })
      assert.deepInclude(yield* ended(caller, next.id), { status: "succeeded", paused: false, message: "Refunded." })
      const messages = server.asked[1]?.body["messages"] as unknown as ReadonlyArray<Record<string, unknown>>
      assert.deepStrictEqual(
        messages.map(({ role }) => role),
        ["system", "user", "assistant", "tool"]
      )
      assert.strictEqual(messages[3]?.["tool_call_id"], "call_7")
      assert.deepStrictEqual(JSON.parse(String(messages[3]?.["content"])), {
        answer: "Half of it",
        decision: "half",
        data: { amount: 20 }
      })
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("ends with what there is of an answer that reached its limit, and says so", () =>
    Effect.gen(function* () {
      const { agent, caller, server } = yield* given()
      for (const [reason, text] of [
        ["length", "Once upon"],
        ["stop", "The end"]
      ] as const) {
        server.script(endsWith(reason, text))
        const after = yield* ended(caller, (yield* trigger(caller, agent)).id)
        assert.deepInclude(after, { status: "succeeded", result: text, message: text, finishReason: reason })
      }
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("asks for as many tokens as its guard of spending grants, and for no more", () =>
    Effect.gen(function* () {
      const { agent, caller, server, spend } = yield* given()
      spend.grant(300)
      server.script(says("Short."))
      yield* ended(caller, (yield* trigger(caller, agent)).id)
      assert.deepInclude(spend.calls[0]?.call, { outputTokensMax: 4_096, outputTokensMin: 256 })
      assert.strictEqual(Number(server.asked[0]?.body["max_tokens"]), 300)
      server.script(says("Again."))
      yield* ended(caller, (yield* trigger(caller, agent)).id)
      assert.strictEqual(spend.calls[1]?.call.outputTokensUsual, spend.calls[0]?.end?.usage?.outputTokens)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("takes no answer for a success that was held back, empty, or cut off before its first word", () =>
    Effect.gen(function* () {
      const { agent, caller, server } = yield* given()
      const cases = [
        [endsWith("length", ""), "output_too_large", /limit of tokens before its first word/],
        [endsWith("content_filter", "I will"), "agent_error", /held the model's answer back/],
        [endsWith("stop", ""), "agent_error", /with nothing/]
      ] as const
      for (const [answer, errorCode, error] of cases) {
        server.script(answer)
        const after = yield* ended(caller, (yield* trigger(caller, agent)).id)
        assert.deepInclude(after, { status: "failed", errorCode })
        assert.match(after.error ?? "", error)
      }
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("needs something to answer", () =>
    Effect.gen(function* () {
      const { agent, caller, server } = yield* given()
      const after = yield* ended(caller, (yield* trigger(caller, agent, { prompt: null })).id)
      assert.deepInclude(after, { status: "failed", errorCode: "invalid_input" })
      assert.isEmpty(server.asked)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("makes no call that its guard of spending refuses", () =>
    Effect.gen(function* () {
      const { agent, caller, server, spend } = yield* given()
      for (const errorCode of ["cap_reached", "call_exceeds_cap", "model_unpriced"] as const) {
        spend.refuseWith(errorCode)
        const after = yield* ended(caller, (yield* trigger(caller, agent)).id)
        assert.deepInclude(after, { status: "failed", errorCode, error: `No: ${errorCode}` })
      }
      assert.isEmpty(server.asked)
      assert.isEmpty(spend.calls)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("logs no secret that its model says, however the words are cut", () =>
    Effect.gen(function* () {
      const { agent, caller, server } = yield* given()
      const secret = "sk-abcdefghijklmnopqrstuvwxyz012345"
      server.script(says("It is sk-abcdefgh", "ijklmnopqrstuvwxyz", "012345 I think. Bea", "rer abcdefgh12345678 too."))
      const run = yield* trigger(caller, agent)
      yield* ended(caller, run.id)
      const log = JSON.stringify((yield* logOf(caller, run.id)).filter(({ type }) => type !== "run.succeeded"))
      assert.notInclude(log, secret.slice(0, 20))
      assert.notInclude(log, "abcdefgh12345678")
      assert.include(log, "[redacted: provider_key]")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
