/** Models at Azure OpenAI, in the wire form of its interface v1: responses, its header for keys, and its refusals. */
import { type ProviderKey, ProviderKeyStore } from "@agent-platform/keys"
import { MemoryProviderProbe } from "@agent-platform/keys/memory"
import { startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fixture } from "../support.ts"
import { RecordedSpend } from "./RecordedSpend.ts"
import { type Answer, json, ScriptedServer } from "./ScriptedServer.ts"
import { aChatAgent, aKey, ended, founded, KEY, layer, logOf, PLATFORM_KEY, trigger } from "./support.ts"
import { answerOf, WIRES } from "./wires.ts"

const OTHER_KEY = "az-another-0123456789-abcdefghijkl"

const says = (...text: ReadonlyArray<string>): Answer => answerOf.azure({ text })

const asksFor = (url: string): Answer => answerOf.azure({ call: { name: "http_request", input: { url } } })

const refused = (name: string): Answer => {
  const { body, headers, status } = fixture(`azure/${name}`)
  return json(status, body, headers)
}

const given = Effect.fnUntraced(function* (options: Parameters<typeof founded>[0] = {}) {
  const caller = yield* founded(options)
  const agent = yield* aChatAgent(caller, { model: "azure/my-deployment", tools: ["http_request"] })
  yield* startRunWorker({ drainSeconds: 0 })
  const server = yield* ScriptedServer
  const run = Effect.fnUntraced(function* (...answers: ReadonlyArray<Answer>) {
    server.script(...answers)
    return yield* ended(caller, (yield* trigger(caller, agent)).id)
  })
  return { caller, server, run, spend: yield* RecordedSpend }
})

const kept = ({ id, workspaceId }: ProviderKey) => ProviderKeyStore.use((store) => store.find(workspaceId, id))

describe("an agent with a model at Azure", () => {
  it.live("streams its words, uses its tools, and is counted as the provider counts", () =>
    Effect.gen(function* () {
      const { caller, run, server, spend } = yield* given()
      yield* aKey(caller, { provider: "azure" })
      const after = yield* run(asksFor("https://nowhere.invalid/"), says("Good ", "morning."))
      assert.deepInclude(after, { status: "succeeded", error: null, message: "Good morning." })
      assert.deepStrictEqual(
        server.asked.map(({ body, method, url }) => [method, url, String(body["model"]), String(body["store"])]),
        [
          ["POST", "/v1/responses", "my-deployment", "false"],
          ["POST", "/v1/responses", "my-deployment", "false"]
        ]
      )
      for (const { headers } of server.asked) {
        assert.strictEqual(headers["api-key"], KEY)
        assert.isUndefined(headers.authorization)
      }
      assert.match(server.asked[1]?.text ?? "", /function_call_output/)
      assert.strictEqual(spend.calls.length, 2)
      for (const { call, end } of spend.calls) {
        assert.deepInclude(call, { provider: "azure.ai.openai", requestModel: "my-deployment" })
        assert.deepInclude(end, { status: "ok", responseModel: "m" })
        assert.deepInclude(end?.usage, {
          inputTokens: 40,
          cacheReadTokens: 30,
          outputTokens: 8,
          reasoningTokens: 4
        })
      }
      const log = yield* logOf(caller, after.id)
      const words = log.flatMap(({ data, type }) => (type === "message.delta" ? [data["text"]] : []))
      assert.strictEqual(words.join(""), "Good morning.")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("goes on with the next key when the first is refused, which is invalid from then on", () =>
    Effect.gen(function* () {
      const { caller, run, server } = yield* given()
      const dead = yield* aKey(caller, { provider: "azure", priority: 1 })
      yield* aKey(caller, { provider: "azure", priority: 2 }, OTHER_KEY)
      yield* MemoryProviderProbe.use((probe) =>
        Effect.sync(() =>
          probe.answerWith(() => Effect.succeed({ type: "rejected", providerStatus: 401, providerCode: null }))
        )
      )
      const after = yield* run(refused("access_denied"), says("Here."))
      assert.deepInclude(after, { status: "succeeded", message: "Here." })
      assert.deepStrictEqual(
        server.asked.map(({ headers }) => headers["api-key"]),
        [KEY, OTHER_KEY]
      )
      assert.strictEqual((yield* kept(dead))?.status, "invalid")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("goes on with the next key while the first is limited, for as long as its provider says", () =>
    Effect.gen(function* () {
      const { caller, run } = yield* given()
      const busy = yield* aKey(caller, { provider: "azure", priority: 1 })
      yield* aKey(caller, { provider: "azure", priority: 2 }, OTHER_KEY)
      const after = yield* run(refused("rate_limit"), says("Here."))
      assert.deepInclude(after, { status: "succeeded", message: "Here." })
      const limited = yield* kept(busy)
      assert.strictEqual(limited?.status, "rate_limited")
      assert.strictEqual(limited?.lastError?.providerCode, "RateLimitReached")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("keeps a key that its provider refuses for the network that the call came from", () =>
    Effect.gen(function* () {
      const { caller, run } = yield* given()
      const key = yield* aKey(caller, { provider: "azure" })
      const after = yield* run(refused("firewall"))
      assert.deepInclude(after, { status: "failed", errorCode: "provider_error" })
      assert.include(after.error ?? "", "Virtual Network/Firewall rules")
      assert.strictEqual((yield* kept(key))?.status, key.status)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("asks again when the answer is cut, and counts nothing of the half", () =>
    Effect.gen(function* () {
      const { caller, run, spend } = yield* given()
      yield* aKey(caller, { provider: "azure" })
      const after = yield* run(WIRES.openai.broken({ text: "Good " }), says("Whole."))
      assert.deepInclude(after, { status: "succeeded", message: "Whole." })
      assert.deepStrictEqual(
        spend.calls.map(({ end }) => [end?.status, end?.usage?.outputTokens]),
        [
          ["error", undefined],
          ["ok", 8]
        ]
      )
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("is served by the platform's key at that one's own address, where the workspace may use it", () =>
    Effect.gen(function* () {
      const { run, server } = yield* given({ allowPlatformKeys: true })
      const after = yield* run(says("Here."))
      assert.deepInclude(after, { status: "succeeded", message: "Here." })
      assert.deepStrictEqual(
        server.asked.map(({ headers, url }) => [url, headers["api-key"]]),
        [["/platform/v1/responses", PLATFORM_KEY]]
      )
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("is served by no key of another provider, nor by the platform's where it may not", () =>
    Effect.gen(function* () {
      const { caller, run, server } = yield* given()
      yield* aKey(caller, { provider: "openai_compatible" })
      const after = yield* run(says("Here."))
      assert.deepInclude(after, { status: "failed", errorCode: "provider_key_missing" })
      assert.isEmpty(server.asked)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
