import { Idempotency, IdempotencyInProgress } from "@agent-platform/kernel"
import { QUEUED_RUNS_MAX, RunAcceptance } from "@agent-platform/runs"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { anAgent, layerMemory, layerOver, TestApi } from "./support.ts"

const RUNS = "/api/v1/runs/"

const layerFull = Layer.effect(
  RunAcceptance,
  Effect.map(RunAcceptance, (store) => ({ ...store, countQueued: () => Effect.succeed(QUEUED_RUNS_MAX) }))
)

const layerClaimed = Layer.effect(
  Idempotency,
  Effect.map(Idempotency, (idempotency) => ({
    ...idempotency,
    claim: (...requests) => Effect.succeed(requests.map(({ key }) => Result.fail(new IdempotencyInProgress({ key }))))
  }))
)

layer(layerOver(Layer.provideMerge(layerFull, layerMemory)), { excludeTestServices: true })("a full queue", (it) => {
  it.effect("answers 429 with Retry-After and the limit", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const agent_id = yield* anAgent(tenant)
      const { headers, json, status } = yield* api.call("POST", RUNS, { key: tenant.workspaceKey, body: { agent_id } })
      assert.strictEqual(status, 429)
      assert.strictEqual(String(json["code"]), "queue_full")
      assert.strictEqual(headers.get("retry-after"), "10")
      assert.strictEqual(headers.get("ratelimit-policy"), '"queued_runs";q=10000')
      assert.strictEqual(headers.get("ratelimit"), '"queued_runs";r=0')
    })
  )
})

layer(layerOver(Layer.provideMerge(layerClaimed, layerMemory)), { excludeTestServices: true })(
  "a request in progress",
  (it) => {
    it.effect("answers 409 to another one under its Idempotency-Key", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const agent_id = yield* anAgent(tenant)
        const { headers, json, status } = yield* api.call("POST", RUNS, {
          key: tenant.workspaceKey,
          headers: { "idempotency-key": "k" },
          body: { agent_id }
        })
        assert.strictEqual(status, 409)
        assert.strictEqual(String(json["code"]), "idempotency_in_progress")
        assert.strictEqual(headers.get("retry-after"), "1")
      })
    )
  }
)
