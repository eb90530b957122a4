import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { anAgent, layer as layerIdle, TestApi } from "./support.ts"

const RUNS = "/api/v1/runs/"
const UNKNOWN_ID = "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77"

layer(layerIdle, { excludeTestServices: true })("runs that stay queued", (it) => {
  describe("POST /api/v1/runs/", () => {
    it.effect("answers 202 at once with a queued run in a session of its own, and 404 nowhere near", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const agent_id = yield* anAgent(tenant)
        const { json, status } = yield* api.call("POST", "/api/v1/runs", {
          key: tenant.workspaceKey,
          body: { agent_id }
        })
        assert.strictEqual(status, 202)
        assert.strictEqual(String(json["status"]), "queued")
        assert.isNull(json["started_at"])
        assert.strictEqual(Number(json["max_attempts"]), 1)
      })
    )

    it.effect("answers 404 to agents and sessions that are unknown, malformed or another workspace's", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const [tenant, stranger] = yield* Effect.all([api.tenant, api.tenant])
        const agent_id = yield* anAgent(tenant!)
        const foreignAgent = yield* anAgent(stranger!)
        const foreignRun = yield* api.call("POST", RUNS, {
          key: stranger!.workspaceKey,
          body: { agent_id: foreignAgent }
        })
        const key = tenant!.workspaceKey
        const bodies: ReadonlyArray<{ readonly agent_id: string; readonly session_id?: string }> = [
          { agent_id: UNKNOWN_ID },
          { agent_id: "nonsense" },
          { agent_id: "" },
          { agent_id: foreignAgent },
          { agent_id, session_id: UNKNOWN_ID },
          { agent_id, session_id: "nonsense" },
          { agent_id, session_id: String(foreignRun.json["session_id"]) }
        ]
        for (const body of bodies) {
          const { json, status } = yield* api.call("POST", RUNS, { key, body })
          const wanted =
            body.session_id === undefined
              ? "/agent_id must be the id of an agent that you can see and that is not archived"
              : "/session_id must be the id of a session that you can see"
          assert.deepStrictEqual<unknown>(
            [status, json["code"], json["detail"]],
            [404, "not_found", `There is no such resource: ${wanted}`],
            JSON.stringify(body)
          )
        }
      })
    )

    it.effect("answers 409 to a busy session when asked to reject, and queues behind it otherwise", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const key = tenant.workspaceKey
        const agent_id = yield* anAgent(tenant)
        const first = yield* api.call("POST", RUNS, { key, body: { agent_id } })
        const session_id = String(first.json["session_id"])
        const rejected = yield* api.call("POST", RUNS, { key, body: { agent_id, session_id, if_busy: "reject" } })
        assert.strictEqual(rejected.status, 409)
        assert.strictEqual(String(rejected.json["code"]), "session_busy")
        assert.strictEqual(String(rejected.json["retryable"]), "true")
        const queued = yield* api.call("POST", RUNS, { key, body: { agent_id, session_id } })
        assert.strictEqual(String(queued.json["session_id"]), session_id)
      })
    )

    it.effect("shows what a run was triggered with", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const agent_id = yield* anAgent(tenant)
        const given = {
          run_at: "2126-11-21T05:15:00.000Z",
          ttl_seconds: 90,
          priority: -7,
          max_duration_seconds: 60,
          max_cost_usd: "0.25"
        }
        const body = { agent_id, message: "Hello", ...given }
        const { json } = yield* api.call("POST", RUNS, { key: tenant.workspaceKey, body })
        assert.deepInclude(json as object, { prompt: "Hello", message: null, ...given })
        const plain = yield* api.call("POST", RUNS, { key: tenant.workspaceKey, body: { agent_id } })
        const none = { prompt: null, run_at: null, ttl_seconds: null, priority: 0, max_cost_usd: null }
        assert.deepInclude(plain.json as object, { ...none, max_duration_seconds: 3_600 })
      })
    )

    it.effect("answers 422 to values out of bounds", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const agent_id = yield* anAgent(tenant)
        const wrong: ReadonlyArray<readonly [string, unknown]> = [
          ["/recipe", "magic"],
          ["/tags", Array.from({ length: 11 }, () => "t")],
          ["/tags/0", [""]],
          ["/priority", 101],
          ["/priority", 1.5],
          ["/run_at", "2026-11-21T05:15:00"],
          ["/run_at", 1795238100],
          ["/ttl_seconds", 0],
          ["/max_duration_seconds", 86_401],
          ["/max_attempts", 0],
          ["/max_cost_usd", "1,50"],
          ["/if_busy", "wait"],
          ["/wait_seconds", 61],
          ["/input", "x".repeat(256 * 1024)],
          ["/metadata/a", { a: 1 }],
          ["/metadata/a", { a: "x".repeat(501) }],
          ["/message", "\u0000"]
        ]
        for (const [pointer, value] of wrong) {
          const name = pointer.split("/")[1] ?? ""
          const { json, status } = yield* api.call("POST", RUNS, {
            key: tenant.workspaceKey,
            body: { agent_id, [name]: value }
          })
          assert.strictEqual(status, 422, pointer)
          assert.strictEqual(String(json["errors"]![0]!["pointer"]), pointer)
        }
        const details = Effect.fnUntraced(function* (body: Record<string, unknown>) {
          const { json } = yield* api.call("POST", RUNS, { key: tenant.workspaceKey, body: { agent_id, ...body } })
          return String(json["detail"])
        })
        assert.strictEqual(
          yield* details({ recipe: "magic" }),
          "/recipe must be a recipe of the agent that is registered here: demo"
        )
        assert.strictEqual(
          yield* details({ max_cost_usd: 1.5 }),
          '/max_cost_usd must be a decimal as a string, such as "12.50", or null'
        )
        const missing = yield* api.call("POST", RUNS, { key: tenant.workspaceKey, body: {} })
        assert.deepStrictEqual(missing.json["errors"] as unknown, [
          { pointer: "/agent_id", code: "required", detail: "is required" }
        ])
      })
    )

    it.effect("answers 422 to an input that does not fit its agent's schema, with a pointer to the place in it", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey: key } = yield* api.tenant
        const properties = { "a/b": { items: { type: "integer" } } }
        const input_schema = { type: "object", properties, required: ["a/b"] }
        const agent = yield* api.call("POST", "/api/v1/agents", {
          key,
          body: { name: "x", recipe: "demo", input_schema }
        })
        const { agent_id } = agent.json
        for (const [pointer, input] of [
          ["/input/a~1b/1", { "a/b": [1, "2"] }],
          ["/input", {}]
        ] as const) {
          const { json, status } = yield* api.call("POST", RUNS, { key, body: { agent_id, input } })
          assert.strictEqual(status, 422, json["detail"] as unknown as string)
          assert.strictEqual(String(json["errors"]![0]!["pointer"]), pointer)
        }
        for (const body of [{ agent_id }, { agent_id, input: null }]) {
          const { json } = yield* api.call("POST", RUNS, { key, body })
          assert.deepStrictEqual<unknown>(json["errors"], [
            { pointer: "/input", code: "required", detail: "is required: the agent has an input_schema" }
          ])
        }
      })
    )

    it.effect("takes times with any offset and gives them out in UTC with milliseconds", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const agent_id = yield* anAgent(tenant)
        const { json, status } = yield* api.call("POST", RUNS, {
          key: tenant.workspaceKey,
          body: { agent_id, run_at: "2036-11-21T05:15:00+05:30", ttl_seconds: 60, priority: -100 }
        })
        assert.strictEqual(status, 202)
        assert.match(String(json["created_at"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      })
    )

    it.effect("answers a repetition with the run as it is then, and never runs twice", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const agent_id = yield* anAgent(tenant)
        const call = { key: tenant.workspaceKey, headers: { "idempotency-key": "order-1" }, body: { agent_id } }
        const first = yield* api.call("POST", RUNS, call)
        const again = yield* api.call("POST", RUNS, call)
        assert.strictEqual(again.status, 202)
        assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
        assert.strictEqual(again.headers.get("location"), first.headers.get("location"))
        assert.strictEqual(again.text, first.text)
      })
    )
  })
})
