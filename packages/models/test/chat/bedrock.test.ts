/** Models at Amazon Bedrock, in the binary form of its streams: whole, cut, too large, nested too deep, and failing in the middle. */
import { Buffer } from "node:buffer"
import { type Agent, startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ending, event, frame, frames, saying } from "./bedrockWire.ts"
import { RecordedSpend } from "./RecordedSpend.ts"
import { type Answer, ScriptedServer } from "./ScriptedServer.ts"
import { aChatAgent, aKey, ended, founded, KEY, layer, trigger } from "./support.ts"

const run = (...answers: ReadonlyArray<Answer>) => runOf({}, ...answers)

const runOf = Effect.fnUntraced(function* (settings: Partial<Agent>, ...answers: ReadonlyArray<Answer>) {
  const caller = yield* founded()
  yield* aKey(caller, { provider: "bedrock" })
  const agent = yield* aChatAgent(caller, { model: "bedrock/amazon.nova-lite-v1:0", ...settings })
  yield* startRunWorker({ drainSeconds: 0 })
  const server = yield* ScriptedServer
  server.script(...answers)
  const after = yield* ended(caller, (yield* trigger(caller, agent)).id)
  return { after, asked: server.asked, spend: yield* RecordedSpend }
})

describe("an agent with a model at Amazon Bedrock", () => {
  it.live("streams its words and is counted as the provider counts, the cache as a part of the input", () =>
    Effect.gen(function* () {
      const { after, asked, spend } = yield* run(frames([...saying("Good ", "morning."), ...ending]))
      assert.deepInclude(after, { status: "succeeded", message: "Good morning." })
      assert.strictEqual(asked[0]?.url, `/model/${encodeURIComponent("amazon.nova-lite-v1:0")}/converse-stream`)
      assert.strictEqual(asked[0]?.headers.authorization, `Bearer ${KEY}`)
      assert.deepInclude(spend.calls[0]?.end?.usage, {
        inputTokens: 40,
        cacheReadTokens: 15,
        cacheWriteTokens: 5,
        outputTokens: 8
      })
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("is told what to remember where its family can, and is asked with the agent's settings", () =>
    Effect.gen(function* () {
      const answer = frames([...saying("Here."), ...ending])
      const modelSettings = { maxOutputTokens: 1_000, temperature: 0.5, topP: 0.9, stop: ["END"] }
      const points = (text: string | undefined) => text?.split('"cachePoint"').length ?? 0
      const nova = yield* runOf({ modelSettings }, answer)
      assert.deepInclude(nova.after, { status: "succeeded" })
      const [asked] = nova.asked
      assert.deepEqual(asked?.body["inferenceConfig"] as unknown, {
        maxTokens: 1_000,
        temperature: 0.5,
        topP: 0.9,
        stopSequences: ["END"]
      })
      // Behind the instructions and behind the last message.
      assert.strictEqual(points(asked?.text), 3)
      const off = yield* runOf({ modelSettings: { promptCache: "off" } }, answer)
      assert.strictEqual(points(off.asked.at(-1)?.text), 1)
      const llama = yield* runOf({ model: "bedrock/meta.llama3-1-8b-instruct-v1:0" }, answer)
      assert.strictEqual(points(llama.asked.at(-1)?.text), 1)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("is told how much to reason in the words of its family", () =>
    Effect.gen(function* () {
      const answer = frames([...saying("Here."), ...ending])
      const adaptive = { type: "adaptive", display: "summarized" }
      const rows = [
        ["us.anthropic.claude-opus-4-6-v1", "max", { thinking: adaptive, output_config: { effort: "max" } }],
        ["anthropic.claude-sonnet-4-5-20250929-v1:0", "max", { thinking: { type: "enabled", budget_tokens: 3_072 } }],
        ["anthropic.claude-3-7-sonnet-20250219-v1:0", "low", { thinking: { type: "enabled", budget_tokens: 1_024 } }],
        ["anthropic.claude-haiku-4-5-20251001-v1:0", "none", { thinking: { type: "disabled" } }],
        ["openai.gpt-oss-120b-1:0", "high", { reasoning_effort: "high" }],
        ["eu.amazon.nova-2-lite-v1:0", "minimal", { reasoningConfig: { type: "enabled", maxReasoningEffort: "low" } }],
        ["eu.amazon.nova-2-lite-v1:0", "none", undefined],
        ["meta.llama3-1-8b-instruct-v1:0", "none", undefined]
      ] as const
      for (const [model, reasoningEffort, fields] of rows) {
        const { after, asked } = yield* runOf({ model: `bedrock/${model}`, modelSettings: { reasoningEffort } }, answer)
        assert.deepInclude(after, { status: "succeeded" })
        const body = asked.at(-1)?.body
        assert.deepStrictEqual<unknown>(body?.["additionalModelRequestFields"], fields, model)
        assert.strictEqual(Number(body?.["inferenceConfig"]?.["maxTokens"]), 4_096, model)
      }
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("is asked for a result without a tool by force while it thinks, which Claude does not take then", () =>
    Effect.gen(function* () {
      const outputSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
      const modelSettings = { outputSchema, reasoningEffort: "low" } as const
      const model = "bedrock/anthropic.claude-haiku-4-5-20251001-v1:0"
      const { after, asked } = yield* runOf(
        { model, modelSettings },
        frames([...saying('{"city": "Bern"}'), ...ending])
      )
      assert.deepInclude(after, { status: "succeeded", result: { city: "Bern" } })
      assert.isUndefined(asked[0]?.body["toolConfig"])
      assert.match(asked[0]?.text ?? "", /"output_config":\{"format":\{"type":"json_schema"/)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("asks again when the answer is cut or fails in the middle, and counts nothing of the half", () =>
    Effect.gen(function* () {
      const failing = frame("exception", "modelStreamErrorException", JSON.stringify({ message: "It broke." }))
      const { after, spend } = yield* run(
        frames(saying("Half "), { isCut: true }),
        frames([...saying("Half "), failing]),
        frames([...saying("Whole."), ...ending])
      )
      assert.deepInclude(after, { status: "succeeded", message: "Whole." })
      assert.deepStrictEqual(
        spend.calls.map(({ end }) => [end?.status, end?.usage?.outputTokens]),
        [
          ["error", undefined],
          ["error", undefined],
          ["ok", 8]
        ]
      )
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("fails at once when a frame is too large, impossibly short or nested too deep", () =>
    Effect.gen(function* () {
      const deep = `{"delta": {"text": ${"[".repeat(101)}${"]".repeat(101)}}}`
      const short = Buffer.alloc(32)
      const cases = [
        [event("contentBlockDelta", { delta: { text: "a".repeat(300_000) } }), "event of more than 262144 bytes"],
        [short, "event of more than 262144 bytes"],
        [frame("event", "contentBlockDelta", deep), "nested deeper than 100 levels"]
      ] as const
      for (const [bytes, words] of cases) {
        const { after, asked } = yield* run(frames([...saying("Hi."), bytes], { size: 65_536 }), frames(ending))
        assert.deepInclude(after, { status: "failed", errorCode: "provider_error" })
        assert.include(after.error ?? "", words)
        assert.isAtLeast(asked.length, 1)
      }
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
