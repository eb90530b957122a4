/** Settings that runs and replies have in the place of their agent's. */
import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect } from "effect"
import { layer, TestApi } from "./support.ts"

const RUNS = "/api/v1/runs/"

const anAgent = Effect.gen(function* () {
  const api = yield* TestApi
  const { workspaceKey: key } = yield* api.tenant
  const body = { name: "Open", overridable: ["max_output_tokens", "model"] }
  const { json } = yield* api.call("POST", "/api/v1/agents", { key, body })
  const agent_id = String(json["agent_id"])
  const trigger = (overrides: object, headers: Record<string, string> = {}) =>
    api.call("POST", RUNS, { key, headers, body: { agent_id, message: "Hello", ...overrides } })
  return { api, key, trigger }
})

describe("A run", () => {
  suite(layer, { excludeTestServices: true })((it) => {
    it.effect("shows the settings that it was sent, and a reply goes on with them", () =>
      Effect.gen(function* () {
        const { api, key, trigger } = yield* anAgent
        const { json, status } = yield* trigger({ max_output_tokens: 100, model: null })
        assert.strictEqual(status, 202)
        assert.deepStrictEqual<unknown>(json["overrides"], { max_output_tokens: 100 })
        const messages = `/api/v1/sessions/${json["session_id"]}/messages`
        const reply = yield* api.call("POST", messages, { key, body: { message: "And?", model: "openai/gpt-5" } })
        const run = reply.json["run"] as unknown as Record<string, unknown>
        assert.deepStrictEqual(run["overrides"], { model: "openai/gpt-5", max_output_tokens: 100 })
        assert.isNull((yield* trigger({})).json["overrides"])
      })
    )

    it.effect("that gives itself what its agent does not let it is 422, there and in a reply", () =>
      Effect.gen(function* () {
        const { api, key, trigger } = yield* anAgent
        const { json } = yield* trigger({})
        const messages = `/api/v1/sessions/${json["session_id"]}/messages`
        for (const refused of [
          yield* trigger({ top_p: 0.5 }),
          yield* api.call("POST", messages, { key, body: { message: "And?", top_p: 0.5 } })
        ]) {
          assert.strictEqual(refused.status, 422)
          const [error] = refused.json["errors"] as unknown as ReadonlyArray<Record<string, string>>
          assert.strictEqual(error?.["pointer"], "/top_p")
          assert.include(error?.["detail"], "max_output_tokens, model")
        }
        assert.strictEqual((yield* trigger({ max_output_tokens: 0 })).status, 422)
      })
    )

    it.effect("with other settings is another run to an Idempotency-Key", () =>
      Effect.gen(function* () {
        const { trigger } = yield* anAgent
        const headers = { "idempotency-key": "k" }
        const first = yield* trigger({ max_output_tokens: 100 }, headers)
        const again = yield* trigger({ max_output_tokens: 100 }, headers)
        assert.strictEqual(String(again.json["run_id"]), String(first.json["run_id"]))
        const other = yield* trigger({ max_output_tokens: 101 }, headers)
        assert.strictEqual(String(other.json["code"]), "idempotency_key_reused")
      })
    )
  })
})
