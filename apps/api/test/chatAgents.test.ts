/** Agents that chat, as the API takes them, and inputs that have not the form that an agent asks for. */
import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect } from "effect"
import { layer, TestApi } from "./support.ts"

const AGENTS = "/api/v1/agents"

describe("an agent that chats", () => {
  suite(layer, { excludeTestServices: true })((it) => {
    it.effect("is created with a model of a known provider and tools that there are", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey: key } = yield* api.tenant
        const good = { name: "Chat", recipe: "chat", model: "openai/gpt-5", tools: ["ask_user", "http_request"] }
        assert.strictEqual((yield* api.call("POST", AGENTS, { key, body: good })).status, 201)
        const cases = [
          ["/model", { model: undefined }],
          ["/model", { model: "gpt-5" }],
          ["/model", { model: "somebody/gpt-5" }],
          ["/tools/1", { tools: ["ask_user", "rm"] }]
        ] as const
        for (const [pointer, override] of cases) {
          const answer = yield* api.call("POST", AGENTS, { key, body: { ...good, ...override } })
          assert.strictEqual(answer.status, 422)
          assert.strictEqual(String(answer.json["code"]), "validation_failed")
          assert.strictEqual(String(answer.json["errors"]?.[0]?.["pointer"]), pointer)
        }
      })
    )

    it.effect("cannot be changed into one that does not work", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey: key } = yield* api.tenant
        const body = { name: "Chat", recipe: "chat", model: "openai/gpt-5" }
        const created = yield* api.call("POST", AGENTS, { key, body })
        const path = `${AGENTS}/${created.json["agent_id"]}`
        const answer = yield* api.call("PATCH", path, { key, body: { model: null } })
        assert.strictEqual(answer.status, 422)
        assert.strictEqual(String(answer.json["errors"]?.[0]?.["pointer"]), "/model")
      })
    )
  })
})

describe("an agent that asks for a form of its input", () => {
  suite(layer, { excludeTestServices: true })((it) => {
    it.effect("refuses other inputs, of runs and of inbound hooks", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey: key } = yield* api.tenant
        const input_schema = { type: "object", properties: { order: { type: "integer" } }, required: ["order"] }
        const created = yield* api.call("POST", AGENTS, { key, body: { name: "Strict", input_schema } })
        const agent_id = String(created.json["agent_id"])
        const trigger = (input: unknown) => api.call("POST", "/api/v1/runs/", { key, body: { agent_id, input } })
        assert.strictEqual((yield* trigger({ order: 7 })).status, 202)
        const hook = yield* api.call("POST", `${AGENTS}/${agent_id}/webhooks`, { key, body: {} })
        const { pathname } = new URL(String(hook.json["url"]))
        assert.strictEqual((yield* api.call("POST", pathname, { body: { order: 7 } })).status, 202)
        const refusals = [
          [yield* trigger({ order: "7" }), "/input/order"],
          [yield* api.call("POST", pathname, { body: {} }), "/input"]
        ] as const
        for (const [refused, pointer] of refusals) {
          assert.strictEqual(refused.status, 422)
          assert.strictEqual(String(refused.json["code"]), "validation_failed")
          assert.strictEqual(String(refused.json["errors"]?.[0]?.["pointer"]), pointer)
        }
      })
    )

    it.effect("refuses inputs that take too long to check, of runs and of inbound hooks", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey: key } = yield* api.tenant
        const alternatives = Array.from({ length: 300 }, (_, index) => ({ const: `${index}` }))
        const body = { name: "Strict", input_schema: { items: { anyOf: [...alternatives, { type: "string" }] } } }
        const agent_id = String((yield* api.call("POST", AGENTS, { key, body })).json["agent_id"])
        const hook = yield* api.call("POST", `${AGENTS}/${agent_id}/webhooks`, { key, body: {} })
        const { pathname } = new URL(String(hook.json["url"]))
        const input = Array.from({ length: 60_000 }, () => "x")
        for (const refused of [
          yield* api.call("POST", "/api/v1/runs/", { key, body: { agent_id, input } }),
          yield* api.call("POST", pathname, { body: input })
        ]) {
          assert.strictEqual(refused.status, 422)
          assert.strictEqual(String(refused.json["code"]), "validation_failed")
          assert.include(String(refused.json["errors"]?.[0]?.["detail"]), "cannot be checked within 1000000 steps")
        }
      })
    )
  })
})
