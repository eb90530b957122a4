/** Answers of providers and of servers of tools that nobody could count on. */
import { RequestFailed } from "@agent-platform/kernel"
import { startRunWorker } from "@agent-platform/runs"
import type { LanguageModelV4Usage } from "@ai-sdk/provider"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Stream } from "effect"
import { outcomeOf } from "../../src/chat/CallOutcome.ts"
import { makeReceivedAnswer } from "../../src/chat/ReceivedAnswer.ts"
import { countedUsage } from "../../src/chat/tokens.ts"
import { resultOf } from "../../src/mcp/answers.ts"
import { RecordedSpend } from "./RecordedSpend.ts"
import { type Answer, events, json, ScriptedServer } from "./ScriptedServer.ts"
import { aChatAgent, aKey, ended, founded, layer, logOf, trigger } from "./support.ts"
import { calls, says, USAGE } from "./wire.ts"

const usageOf = (input: number, output: number, parts: { cacheRead?: number; reasoning?: number } = {}) =>
  ({
    inputTokens: { total: input, noCache: undefined, cacheRead: parts.cacheRead, cacheWrite: undefined },
    outputTokens: { total: output, text: undefined, reasoning: parts.reasoning }
  }) satisfies LanguageModelV4Usage

const given = Effect.fnUntraced(function* (...answers: ReadonlyArray<Answer>) {
  const caller = yield* founded()
  yield* aKey(caller)
  const agent = yield* aChatAgent(caller)
  yield* startRunWorker({ drainSeconds: 0 })
  const server = yield* ScriptedServer
  server.script(...answers)
  const run = yield* ended(caller, (yield* trigger(caller, agent)).id)
  return { run, server, spend: yield* RecordedSpend, log: yield* logOf(caller, run.id) }
})

const chunk = (model: string, rest: object) => ({
  id: "1",
  object: "chat.completion.chunk",
  created: 1,
  model,
  ...rest
})

const answering = (usage: unknown, model = "small"): Answer =>
  events(
    chunk(model, { choices: [{ index: 0, delta: { role: "assistant", content: "Hi." }, finish_reason: null }] }),
    chunk(model, { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
    chunk(model, { choices: [], usage }),
    "[DONE]"
  )

describe("a count of tokens", () => {
  it("is none where it is no whole number, is below zero, or more than any model has", () => {
    for (const strange of [1.5, -1, 1e300, 2 ** 40, Number.NaN]) {
      assert.isUndefined(countedUsage("openai", usageOf(strange, 1)))
      assert.isUndefined(countedUsage("google", usageOf(1, strange)))
    }
  })

  it("is none where a compatible server counts more in its own way than any model has", () => {
    for (const reasoning_tokens of [1_000_000_001, 2 ** 53 - 100]) {
      const raw = { prompt_tokens: 32, completion_tokens: 9, total_tokens: 41 + reasoning_tokens, reasoning_tokens }
      assert.isUndefined(countedUsage("openai_compatible", { ...usageOf(32, 9), raw }), String(reasoning_tokens))
    }
  })

  it("has no part that is more than the whole", () => {
    assert.deepStrictEqual(countedUsage("openai", usageOf(10, 5, { cacheRead: 20, reasoning: 7.5 })), {
      inputTokens: 10,
      cacheReadTokens: 10,
      cacheWriteTokens: 0,
      outputTokens: 5,
      reasoningTokens: 0
    })
  })

  it("includes the reasoning that a compatible server leaves out of the completion", () => {
    const raw = {
      prompt_tokens: 32,
      completion_tokens: 9,
      total_tokens: 135,
      completion_tokens_details: { reasoning_tokens: 94 }
    }
    assert.deepInclude(countedUsage("openai_compatible", { ...usageOf(32, 9, { reasoning: 94 }), raw }), {
      outputTokens: 103,
      reasoningTokens: 94
    })
  })

  it.live("is not settled where a server made it up", () =>
    Effect.gen(function* () {
      for (const prompt_tokens of [-5, 0.5, 1e300]) {
        const { run, spend } = yield* given(answering({ ...USAGE, prompt_tokens }))
        assert.deepInclude(run, { status: "succeeded", message: "Hi." })
        assert.deepInclude(spend.calls.at(-1)?.end, { status: "ok", usage: undefined, sent: true })
      }
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})

describe("the name of the model that answered", () => {
  it.live("is one that can be stored", () =>
    Effect.gen(function* () {
      const { spend } = yield* given(answering(USAGE, `small\u0000${"x".repeat(10_000)}`))
      const name = spend.calls[0]?.end?.responseModel ?? ""
      assert.isTrue(name.startsWith("small"))
      assert.isAtMost(name.length, 200)
      assert.notInclude(name, "\u0000")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})

describe("a request that failed", () => {
  const detailOf = (reason: RequestFailed["reason"], detail: string) => {
    const failure = new RequestFailed({ reason, detail, durationMillis: 3, remoteAddress: null })
    const outcome = outcomeOf(
      { used: true, began: false, refusal: undefined, failure },
      makeReceivedAnswer({ provider: "openai", model: "small" }),
      { provider: "openai", requestId: "1", key: Redacted.make("sk-1"), thrown: undefined }
    )
    return outcome._tag === "Broken" ? outcome.detail : outcome._tag
  }

  it("is no answer that broke off where its provider was not reached", () => {
    assert.strictEqual(
      detailOf("dns_failed", "The host does not resolve"),
      "openai could not be reached: The host does not resolve"
    )
    assert.strictEqual(detailOf("connection_lost", "It was lost"), "The answer of openai broke off: It was lost")
  })
})

describe("tool calls of one answer", () => {
  it("are distinguished where their provider gave them the same id", () => {
    const received = makeReceivedAnswer({ provider: "openai_compatible", model: "small" })
    for (const toolCallId of ["", "", "a", "a"]) {
      received.take({ type: "tool-call", toolCallId, toolName: "look", input: "{}" })
    }
    const ids = received.content().map((part) => (part.type === "tool-call" ? part.toolCallId : undefined))
    assert.strictEqual(new Set(ids).size, 4)
    assert.isFalse(ids.includes(""))
    assert.strictEqual(ids[2], "a")
  })

  it.live("are all done where their provider gave them the same id", () =>
    Effect.gen(function* () {
      const same = { id: "call_1", name: "nothing", input: {} }
      const { log, run, server } = yield* given(calls(same, same), says("Done."))
      assert.deepInclude(run, { status: "succeeded", message: "Done." })
      assert.strictEqual(log.filter(({ type }) => type === "tool.completed").length, 2)
      const messages = server.asked.at(-1)?.body["messages"] as unknown as ReadonlyArray<Record<string, unknown>>
      assert.strictEqual(messages.filter(({ role }) => role === "tool").length, 2)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})

describe("an answer that calls for very many tools", () => {
  it.live("fails its run before any of them is called", () =>
    Effect.gen(function* () {
      const callsOf = (length: number) =>
        calls(...Array.from({ length }, (_, index) => ({ id: `call_${index}`, name: "nothing", input: {} })))
      const { log, run, server } = yield* given(callsOf(129), says("Done."))
      assert.deepInclude(run, { status: "failed", errorCode: "agent_error" })
      assert.match(run.error ?? "", /more than 128 tools at once/)
      assert.isFalse(log.some(({ type }) => type === "tool.started"))
      // Neither asked again, nor read any further.
      assert.strictEqual(server.asked.length, 1)
      assert.deepInclude(log.find(({ type }) => type === "llm.request")?.data, { error_code: "too_many_calls" })
      const enough = yield* given(callsOf(128), says("Done."))
      assert.deepInclude(enough.run, { status: "succeeded", message: "Done." })
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})

describe("a server of tools", () => {
  it.live("gets its secrets not into the log either when it repeats them in a failure", () =>
    Effect.gen(function* () {
      const secret = "mcp-secret-0123456789"
      const caller = yield* founded()
      yield* aKey(caller)
      const server = yield* ScriptedServer
      const headers = { "x-token": secret }
      const agent = yield* aChatAgent(caller, {}, [{ name: "mine", url: `${server.url}/mcp`, headers }])
      yield* startRunWorker({ drainSeconds: 0 })
      const message = `${"x".repeat(290)}${secret} is not known here${" and so on".repeat(1_000)}`
      server.script(json(200, { jsonrpc: "2.0", id: 1, error: { code: 1, message } }), says("Without it."))
      const run = yield* ended(caller, (yield* trigger(caller, agent)).id)
      assert.deepInclude(run, { status: "succeeded", message: "Without it." })
      const log = yield* logOf(caller, run.id)
      const said = String(log.find(({ type }) => type === "log")?.data["message"])
      assert.match(said, /without the server of tools 'mine': x+/)
      assert.isBelow(said.length, 400)
      assert.notInclude(JSON.stringify(log), secret.slice(0, 8))
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.effect("keeps nobody else waiting with a stream of very many lines", () =>
    Effect.gen(function* () {
      const answer = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { ok: true } })
      const text = `${"data:\n".repeat(170_000)}\ndata: ${answer}\n\n`
      const body = Stream.make(new TextEncoder().encode(text))
      assert.deepStrictEqual(yield* resultOf(body, "text/event-stream", 1), { ok: true })
    })
  )
})
