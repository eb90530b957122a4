/** Settings of a model on the wire of each provider. */
import { type Agent, type ModelSettings, startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { RecordedSpend } from "./RecordedSpend.ts"
import { ScriptedServer } from "./ScriptedServer.ts"
import { aChatAgent, aKey, ended, founded, layer, logOf, trigger } from "./support.ts"
import { answerOf, MODEL_OF, type Said, type Scripted } from "./wires.ts"

/** A workspace with a key of the provider, and how an agent with these settings is run there while its model answers like this. */
const given = Effect.fnUntraced(function* (provider: Scripted) {
  const caller = yield* founded()
  yield* aKey(caller, { provider })
  yield* startRunWorker({ drainSeconds: 0 })
  const server = yield* ScriptedServer
  const run = Effect.fnUntraced(function* (
    modelSettings: ModelSettings,
    answers: ReadonlyArray<Said>,
    override: Partial<Agent> = {}
  ) {
    const from = server.asked.length
    server.script(...answers.map(answerOf[provider]))
    const agent = yield* aChatAgent(caller, { model: MODEL_OF[provider], modelSettings, ...override })
    const after = yield* ended(caller, (yield* trigger(caller, agent)).id)
    const log = yield* logOf(caller, after.id)
    return { after, log, bodies: server.asked.slice(from).map(({ body }) => body as never as Record<string, unknown>) }
  })
  return { caller, run, spend: yield* RecordedSpend }
})

const SAMPLING: ModelSettings = { temperature: 0.25, topP: 0.5, maxOutputTokens: 20_000, stop: ["END"], seed: 7 }
const { seed: _seed, stop: _stop, ...OPENAI_SAMPLING } = SAMPLING

const ON_THE_WIRE: ReadonlyArray<readonly [Scripted, ModelSettings, sent: object]> = [
  ["openai", OPENAI_SAMPLING, { temperature: 0.25, top_p: 0.5, max_output_tokens: 20_000 }],
  ["azure", OPENAI_SAMPLING, { temperature: 0.25, top_p: 0.5, max_output_tokens: 20_000 }],
  [
    "anthropic",
    {
      temperature: 0.25,
      maxOutputTokens: 20_000,
      stop: ["END"],
      providerOptions: { anthropic: { top_k: 5, user_id: "u" } }
    },
    { temperature: 0.25, max_tokens: 20_000, stop_sequences: ["END"], top_k: 5, metadata: { user_id: "u" } }
  ],
  [
    "openai_compatible",
    {
      ...SAMPLING,
      providerOptions: { openai_compatible: { min_p: 0.1, chat_template_kwargs: { enable_thinking: false } } }
    },
    {
      temperature: 0.25,
      top_p: 0.5,
      max_tokens: 20_000,
      stop: ["END"],
      seed: 7,
      min_p: 0.1,
      chat_template_kwargs: { enable_thinking: false }
    }
  ]
]

const ALL: ReadonlyArray<Scripted> = ["openai", "azure", "anthropic", "google", "openai_compatible"]

const SCHEMA = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false
}

describe("The settings of a model", () => {
  for (const [provider, settings, sent] of ON_THE_WIRE) {
    it.live(`are sent to ${provider} in its words, and as many tokens are held back as are asked for`, () =>
      Effect.gen(function* () {
        const { run, spend } = yield* given(provider)
        const { after, bodies } = yield* run(settings, [{ text: "Hi" }])
        assert.deepInclude(after, { status: "succeeded", error: null })
        assert.deepInclude(bodies[0], sent)
        assert.strictEqual(spend.calls[0]?.call.outputTokensMax, 20_000)
      }).pipe(Effect.scoped, Effect.provide(layer))
    )
  }

  it.live("are sent to google in its words", () =>
    Effect.gen(function* () {
      const { run } = yield* given("google")
      const { bodies } = yield* run({ ...SAMPLING, providerOptions: { google: { top_k: 5 } } }, [{ text: "Hi" }])
      assert.deepInclude(bodies[0]?.["generationConfig"] as object, {
        temperature: 0.25,
        topP: 0.5,
        topK: 5,
        maxOutputTokens: 20_000,
        stopSequences: ["END"],
        seed: 7
      })
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("that the model does not take are named in the log", () =>
    Effect.gen(function* () {
      const { run } = yield* given("openai")
      const { bodies, log } = yield* run({ temperature: 0.25 }, [{ text: "Hi" }], { model: "openai/gpt-5" })
      assert.isUndefined(bodies[0]?.["temperature"])
      const said = log.flatMap(({ data, type }) => (type === "log" ? [String(data["message"])] : []))
      assert.deepStrictEqual(said, ["openai: temperature is not supported for reasoning models"])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  for (const provider of ALL) {
    it.live(`hold ${provider} to the form of a result, which it may repair once`, () =>
      Effect.gen(function* () {
        const { run } = yield* given(provider)
        const answers = [{ text: '{"town": "Oslo"}' }, { text: '{"city": "Oslo"}' }]
        const { after, bodies } = yield* run({ outputSchema: SCHEMA }, answers)
        assert.deepInclude(after, { status: "succeeded", error: null, message: '{"city": "Oslo"}' })
        assert.deepStrictEqual(after.result, { city: "Oslo" })
        assert.include(JSON.stringify(bodies[0]), '"city"')
        assert.include(JSON.stringify(bodies[1]), "does not have the form that was asked for")
        const failed = yield* run({ outputSchema: SCHEMA }, [{ text: "Oslo" }])
        assert.deepInclude(failed.after, { status: "failed", errorCode: "agent_error", result: null })
        assert.strictEqual(failed.bodies.length, 2)
        const cut = yield* run({ outputSchema: SCHEMA }, [{ text: '{"city": "Os', isCut: true }])
        assert.deepInclude(cut.after, { status: "failed", errorCode: "output_too_large" })
        assert.strictEqual(cut.bodies.length, 1)
      }).pipe(Effect.scoped, Effect.provide(layer))
    )
  }

  it.live("ask OpenAI for a result by force where it can be held to its schema, and else without", () =>
    Effect.gen(function* () {
      const { run } = yield* given("openai")
      const strict = yield* run({ outputSchema: SCHEMA }, [{ text: '{"city": "Oslo"}' }])
      assert.include(JSON.stringify(strict.bodies[0]?.["text"]), '"strict":true')
      const open = yield* run({ outputSchema: { type: "object", properties: SCHEMA.properties } }, [{ text: "{}" }])
      assert.include(JSON.stringify(open.bodies[0]?.["text"]), '"strict":false')
      // An integer that would lose digits is no such result either.
      const large = [{ text: '{"id": 9007199254740993}' }, { text: '{"id": "9007199254740993"}' }]
      const repaired = yield* run({ outputSchema: { type: "object" } }, large)
      assert.deepStrictEqual(repaired.after.result, { id: "9007199254740993" })
      assert.include(JSON.stringify(repaired.bodies[1]), "/id must be a number that is kept as it is")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("keep a model from calling for several tools at once", () =>
    Effect.gen(function* () {
      const tools = ["http_request"]
      for (const [provider, sent] of [
        ["openai", { parallel_tool_calls: false }],
        ["anthropic", { tool_choice: { type: "auto", disable_parallel_tool_use: true } }],
        ["openai_compatible", { parallel_tool_calls: false }]
      ] as const) {
        const { run } = yield* given(provider)
        const { bodies } = yield* run({ parallelToolCalls: false }, [{ text: "Hi" }], { tools })
        assert.deepInclude(bodies[0], sent as object)
      }
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
