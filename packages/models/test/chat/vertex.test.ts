/** Models at Vertex AI: a token in the place of the key, and what becomes of a key that Google gives none for. */
import { type ProviderKey, ProviderKeyStore } from "@agent-platform/keys"
import { MemoryProviderProbe } from "@agent-platform/keys/memory"
import { type Agent, startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ask, FakeProvider, layer as layerProbe } from "../support.ts"
import { RecordedSpend } from "./RecordedSpend.ts"
import { type Answer, json, ScriptedServer } from "./ScriptedServer.ts"
import { isSigned, TOKEN, VERTEX_KEY } from "./serviceAccount.ts"
import { aChatAgent, aKey, ended, founded, layer, logOf, trigger } from "./support.ts"
import { answerOf } from "./wires.ts"

const says = (text: string): Answer => answerOf.google({ text })

const token = json(200, { access_token: TOKEN, expires_in: 3_599, token_type: "Bearer" })

const given = Effect.fnUntraced(function* (settings: Partial<Agent> = {}) {
  const caller = yield* founded()
  const agent = yield* aChatAgent(caller, { model: "vertex/gemini-2.5-flash", ...settings })
  yield* startRunWorker({ drainSeconds: 0 })
  const server = yield* ScriptedServer
  const run = Effect.fnUntraced(function* (...answers: ReadonlyArray<Answer>) {
    server.script(...answers)
    return yield* ended(caller, (yield* trigger(caller, agent)).id)
  })
  return { caller, server, run }
})

const kept = ({ id, workspaceId }: ProviderKey) => ProviderKeyStore.use((store) => store.find(workspaceId, id))

describe("an agent with a model at Vertex AI", () => {
  it.live("asks for a token by a signed statement, keeps it, and shows the model nothing but that", () =>
    Effect.gen(function* () {
      const { caller, run, server } = yield* given()
      yield* aKey(caller, { provider: "vertex" }, VERTEX_KEY)
      assert.deepInclude(yield* run(token, says("One.")), { status: "succeeded", message: "One." })
      const second = yield* run(says(`Two, by ${TOKEN}.`))
      assert.deepInclude(second, { status: "succeeded", message: "Two, by [redacted: secret]." })
      const path = "/v1/projects/p/locations/l/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
      assert.deepStrictEqual(
        server.asked.map(({ method, url }) => [method, url]),
        [
          ["POST", "/token"],
          ["POST", path],
          ["POST", path]
        ]
      )
      assert.isTrue(isSigned(server.asked[0]?.text ?? ""))
      for (const { headers, text } of server.asked.slice(1)) {
        assert.strictEqual(headers.authorization, `Bearer ${TOKEN}`)
        assert.notInclude(JSON.stringify([headers, text]), VERTEX_KEY.slice(0, 24))
      }
      assert.notInclude(JSON.stringify(yield* logOf(caller, second.id)), TOKEN)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("asks with the agent's settings, and validates the result that was asked for", () =>
    Effect.gen(function* () {
      const outputSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
      const modelSettings = {
        temperature: 0.5,
        topP: 0.9,
        maxOutputTokens: 1_000,
        stop: ["END"],
        seed: 7,
        outputSchema
      }
      const { caller, run, server } = yield* given({ modelSettings })
      yield* aKey(caller, { provider: "vertex" }, VERTEX_KEY)
      const after = yield* run(token, says('{"city": "Bern"}'))
      assert.deepInclude(after, { status: "succeeded", result: { city: "Bern" } })
      const asked = server.asked[1]?.body["generationConfig"] as unknown as Readonly<Record<string, unknown>>
      assert.deepInclude(asked, {
        temperature: 0.5,
        topP: 0.9,
        maxOutputTokens: 1_000,
        stopSequences: ["END"],
        seed: 7,
        responseMimeType: "application/json"
      })
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("calls Claude by Anthropic's interface, at an address that has the model", () =>
    Effect.gen(function* () {
      const model = "vertex/claude-sonnet-4-5@20250929"
      const modelSettings = { providerOptions: { vertex: { top_k: 5 } } }
      const { caller, run, server } = yield* given({ model, modelSettings, tools: ["http_request"] })
      yield* aKey(caller, { provider: "vertex" }, VERTEX_KEY)
      const call = { name: "http_request", input: { url: "https://nowhere.invalid/" } }
      const after = yield* run(token, answerOf.anthropic({ call }), answerOf.anthropic({ text: `By ${TOKEN}.` }))
      assert.deepInclude(after, { status: "succeeded", message: "By [redacted: secret]." })
      const path = "/v1/projects/p/locations/l/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict"
      const asked = server.asked.slice(1)
      assert.deepStrictEqual(
        asked.map(({ url }) => url),
        [path, path]
      )
      for (const { body, headers, text } of asked) {
        assert.strictEqual(headers.authorization, `Bearer ${TOKEN}`)
        assert.isUndefined(headers["x-api-key"])
        assert.isUndefined(headers["anthropic-version"])
        assert.notInclude(text, '"model":')
        assert.strictEqual(String(body["anthropic_version"]), "vertex-2023-10-16")
        assert.strictEqual(Number(body["max_tokens"]), 16_384)
        assert.strictEqual(Number(body["top_k"]), 5)
      }
      assert.include(asked[1]?.text, '"tool_result"')
      const { calls } = yield* RecordedSpend
      assert.strictEqual(calls.length, 2)
      for (const { call, end } of calls) {
        assert.deepInclude(call, { provider: "gcp.vertex_ai", requestModel: "claude-sonnet-4-5@20250929" })
        assert.deepInclude(end?.usage, { inputTokens: 40, cacheReadTokens: 20, cacheWriteTokens: 10, outputTokens: 8 })
      }
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("goes on with the next key when Google takes the first for none, or it is no key file", () =>
    Effect.gen(function* () {
      const { caller, run, server } = yield* given()
      yield* MemoryProviderProbe.use((probe) =>
        Effect.sync(() =>
          probe.answerWith(() => Effect.succeed({ type: "rejected", providerStatus: 400, providerCode: null }))
        )
      )
      const unreadable = yield* aKey(caller, { provider: "vertex", priority: 1 }, "bm8ga2V5IGZpbGU")
      const dead = yield* aKey(caller, { provider: "vertex", priority: 2 }, VERTEX_KEY)
      const answers = [json(400, { error: "invalid_grant", error_description: "Invalid JWT Signature." })]
      const after = yield* run(...answers)
      assert.deepInclude(after, { status: "failed", errorCode: "credential_invalid" })
      assert.strictEqual(server.asked.length, 1)
      for (const key of [unreadable, dead]) assert.strictEqual((yield* kept(key))?.status, "invalid")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})

describe("asking Google about a key of Vertex AI", () => {
  const answered = (status: number, body: unknown) => ({
    status,
    headers: { "content-type": "application/json" },
    body
  })

  it.live("is a request for a token, and none where the key is no key file", () =>
    Effect.gen(function* () {
      const fake = yield* FakeProvider
      fake.answerWith(answered(200, { access_token: TOKEN, expires_in: 3_599 }))
      assert.deepStrictEqual(yield* ask("vertex", VERTEX_KEY), { type: "accepted" })
      fake.answerWith(answered(400, { error: "invalid_grant" }))
      const rejected = { type: "rejected", providerStatus: 400, providerCode: "invalid_grant" } as const
      assert.deepStrictEqual(yield* ask("vertex", VERTEX_KEY), rejected)
      fake.answerWith(answered(503, { error: "internal_failure" }))
      assert.deepInclude(yield* ask("vertex", VERTEX_KEY), { type: "unreachable", providerStatus: 503 })
      fake.answerWith(answered(200, {}))
      for (const key of ["no-base64!", "eyJ0eXBlIjoidXNlciJ9"]) {
        assert.deepInclude(yield* ask("vertex", key), { type: "rejected", providerStatus: null })
      }
      assert.isEmpty(fake.seen)
      // An answer without a token says nothing about the key.
      assert.deepInclude(yield* ask("vertex", VERTEX_KEY), { type: "unreachable" })
    }).pipe(Effect.provide(layerProbe))
  )
})
