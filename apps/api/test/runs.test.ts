import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { anAgent, layer as layerIdle, layerWithWorkers, TestApi } from "./support.ts"

const RUNS = "/api/v1/runs/"

layer(layerWithWorkers, { excludeTestServices: true })("runs that are executed", (it) => {
  describe("POST /api/v1/runs/", () => {
    it.effect("answers 202 with the finished run when it waits for it", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const agent_id = yield* anAgent(tenant)
        const { headers, json, status } = yield* api.call("POST", RUNS, {
          key: tenant.workspaceKey,
          body: { agent_id, message: "Hello", wait_seconds: 20, metadata: { customer: "42" }, tags: ["a"] }
        })
        assert.strictEqual(status, 202)
        assert.strictEqual(headers.get("location"), `/api/v1/runs/${json["run_id"]}`)
        assert.strictEqual(String(json["status"]), "succeeded")
        assert.strictEqual(String(json["result"]), "You said: Hello")
        assert.strictEqual(String(json["cost_usd"]), "0.00")
        assert.deepStrictEqual(json["metadata"] as unknown, { customer: "42" })
        assert.deepStrictEqual(json["tags"] as unknown, ["a"])
        assert.deepStrictEqual(json["trigger"] as unknown, { type: "api", id: null })
      })
    )

    it.effect("shows a question as succeeded and paused, and a failure with its code", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const agent_id = yield* anAgent(tenant)
        const play = (steps: unknown) =>
          api.call("POST", RUNS, { key: tenant.workspaceKey, body: { agent_id, input: { steps }, wait_seconds: 20 } })
        const paused = yield* play([{ ask: "Go on?", interrupt: { amount: 3 } }])
        assert.strictEqual(String(paused.json["status"]), "succeeded")
        assert.strictEqual(String(paused.json["paused"]), "true")
        assert.strictEqual(String(paused.json["message"]), "Go on?")
        assert.deepStrictEqual(paused.json["interrupt"] as unknown, { amount: 3 })
        const failed = yield* play([{ fail: "No" }])
        assert.strictEqual(String(failed.json["status"]), "failed")
        assert.strictEqual(String(failed.json["error_code"]), "agent_error")
      })
    )
  })

  describe("GET /api/v1/runs/{run_id}", () => {
    it.effect("answers 200 as soon as the run has ended", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const agent_id = yield* anAgent(tenant)
        const key = tenant.workspaceKey
        const triggered = yield* api.call("POST", RUNS, {
          key,
          body: { agent_id, input: { steps: [{ sleep_ms: 50 }] } }
        })
        assert.strictEqual(String(triggered.json["status"]), "queued")
        const read = yield* api.call("GET", `${RUNS}${triggered.json["run_id"]}?wait_seconds=60`, { key })
        assert.strictEqual(read.status, 200)
        assert.strictEqual(String(read.json["status"]), "succeeded")
      })
    )
  })
})

layer(layerIdle, { excludeTestServices: true })("runs that stay queued", (it) => {
  describe("GET /api/v1/runs/{run_id}", () => {
    it.effect("answers 200 when the wait is over, and 422 to a wait out of range", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const agent_id = yield* anAgent(tenant)
        const key = tenant.workspaceKey
        const triggered = yield* api.call("POST", RUNS, { key, body: { agent_id } })
        const path = `${RUNS}${triggered.json["run_id"]}`
        const read = yield* api.call("GET", `${path}?wait_seconds=1`, { key })
        assert.strictEqual(read.status, 200)
        assert.strictEqual(String(read.json["status"]), "queued")
        for (const wait of ["61", "-1", "1.0", "soon"]) {
          const answer = yield* api.call("GET", `${path}?wait_seconds=${wait}`, { key })
          assert.strictEqual(answer.status, 422)
        }
      })
    )

    it.effect("answers 401 while it waits once the key is revoked", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const agent_id = yield* anAgent(tenant)
        const made = yield* api.call("POST", "/api/v1/auth/api-keys", { key: tenant.workspaceKey, body: { name: "x" } })
        const triggered = yield* api.call("POST", RUNS, { key: tenant.workspaceKey, body: { agent_id } })
        const waiting = api.call("GET", `${RUNS}${triggered.json["run_id"]}?wait_seconds=60`, {
          key: String(made.json["key"])
        })
        const revoking = api.call("DELETE", `/api/v1/auth/api-keys/${made.json["id"]}`, { key: tenant.workspaceKey })
        const [answer] = yield* Effect.all([waiting, revoking], { concurrency: 2 })
        assert.strictEqual(answer.status, 401)
        assert.strictEqual(String(answer.json["code"]), "credential_revoked")
      })
    )
  })
})
