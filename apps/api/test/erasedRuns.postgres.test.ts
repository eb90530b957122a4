/** Runs, sessions and agents that were erased: afterwards no row anywhere has a text of them. */
import { ErasureId, OrganizationId } from "@agent-platform/kernel"
import { continueErasure } from "@agent-platform/platform"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { sumsOf, tablesWith } from "./canaries.ts"
import {
  aCanary,
  agentWith,
  counted,
  erased,
  eraserOf,
  gone,
  layerWithWorkers,
  runWith,
  statusOf,
  until
} from "./erasing.ts"
import { type Json, TestApi } from "./support.ts"

layer(layerWithWorkers, { excludeTestServices: true, timeout: "120 seconds" })("erasing runs over Postgres", (it) => {
  it.effect("a run leaves nothing of it, and what is beside it", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const { key } = yield* eraserOf(tenant)
      const [canary, kept] = [aCanary(), aCanary()]
      yield* api.call("POST", "/api/v1/org/webhooks", {
        key: tenant.orgKey,
        body: { url: "https://example.com/hooks" }
      })
      const agent = yield* agentWith(tenant, kept)
      const { runId, sessionId } = yield* runWith(tenant, agent, canary)
      const other = yield* runWith(tenant, agent, kept, sessionId)
      const before = yield* counted(tenant, 2)
      assert.includeMembers(yield* tablesWith(canary), ["agent_platform.run", "agent_platform.run_event"])
      const preview = yield* api.call("DELETE", `/api/v1/runs/${runId}?dry_run=true`, { key })
      assert.deepInclude(preview.json["counts"] as object, { runs: 1, model_calls: 1 })
      assert.strictEqual(yield* statusOf("GET", `/api/v1/runs/${runId}`, tenant.workspaceKey), 200)

      const done = yield* erased("DELETE", `/api/v1/runs/${runId}`, key)
      assert.deepInclude(done["counts"] as object, { runs: { done: 1, total: 1 } })
      yield* gone(canary)
      assert.isNotEmpty(yield* tablesWith(kept))
      assert.deepStrictEqual(yield* sumsOf(tenant.organizationId), before)
      assert.strictEqual(yield* statusOf("GET", `/api/v1/runs/${runId}`, tenant.workspaceKey), 404)
      assert.strictEqual(yield* statusOf("GET", `/api/v1/analytics/runs/${runId}/costs`, tenant.workspaceKey), 404)
      assert.strictEqual(yield* statusOf("DELETE", `/api/v1/runs/${runId}`, key), 404)
      const session = yield* api.call("GET", "/api/v1/sessions", { key: tenant.workspaceKey })
      assert.include(session.text, sessionId)
      assert.strictEqual(yield* statusOf("GET", `/api/v1/runs/${other.runId}`, tenant.workspaceKey), 200)
      const feed = yield* api.call("GET", "/api/v1/activity?resource_type=run", { key: tenant.workspaceKey })
      const entry = (feed.json["items"] as unknown as ReadonlyArray<Json>).find(
        (one) => String(one["action"]) === "run.erased"
      )
      assert.strictEqual(String(entry?.["resource_id"]), runId)
    })
  )

  it.effect("a session leaves nothing of all its runs, also of one that is executed and of those that wait", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const { key } = yield* eraserOf(tenant)
      const canary = aCanary()
      const agent = yield* agentWith(tenant, aCanary())
      const { sessionId } = yield* runWith(tenant, agent, canary)
      const before = yield* counted(tenant, 1)
      for (let count = 0; count < 3; count++) {
        yield* api.call("POST", "/api/v1/runs/", {
          key: tenant.workspaceKey,
          body: { agent_id: agent, session_id: sessionId, message: canary, input: { steps: [{ sleep_ms: 60_000 }] } }
        })
      }
      yield* erased("DELETE", `/api/v1/sessions/${sessionId}`, key)
      yield* gone(canary)
      const after = yield* sumsOf(tenant.organizationId)
      assert.deepStrictEqual({ ...after, runs: before["runs"] ?? "" }, before)
      assert.strictEqual(yield* statusOf("GET", `/api/v1/sessions/${sessionId}`, tenant.workspaceKey), 404)
    })
  )

  it.effect("an agent leaves nothing of itself and of its runs", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const { key } = yield* eraserOf(tenant)
      const canary = aCanary()
      const agent = yield* agentWith(tenant, canary)
      for (let count = 0; count < 3; count++) yield* runWith(tenant, agent, canary)
      const before = yield* counted(tenant, 3)
      yield* erased("POST", `/api/v1/agents/${agent}/erase`, key)
      yield* gone(canary)
      assert.deepStrictEqual(yield* sumsOf(tenant.organizationId), before)
      assert.strictEqual(yield* statusOf("GET", `/api/v1/agents/${agent}`, tenant.workspaceKey), 404)
    })
  )

  it.effect("an erasure that is broken off anywhere, and done by several at once, comes to the same end", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const { key } = yield* eraserOf(tenant)
      const canary = aCanary()
      const agent = yield* agentWith(tenant, canary)
      for (let count = 0; count < 3; count++) yield* runWith(tenant, agent, canary)
      const before = yield* counted(tenant, 3)
      const { json } = yield* api.call("POST", `/api/v1/agents/${agent}/erase`, { key })
      const payload = {
        organization_id: OrganizationId.make(tenant.organizationId),
        erasure_id: ErasureId.make(String(json["id"]))
      }
      // Each is broken off after another time, in whatever statement it is by then.
      const brokenOff = (millis: number) =>
        Effect.timeoutOption(Effect.exit(continueErasure(payload)), `${millis} millis`)
      for (let round = 0; round < 10; round++) {
        yield* Effect.forEach([1, 5, 20, 80], (millis) => brokenOff(millis * (round + 1)), { concurrency: "unbounded" })
      }
      const done = yield* until(
        "the end of it",
        Effect.map(api.call("GET", `/api/v1/erasures/${json["id"]}`, { key }), (read) =>
          String(read.json["state"]) === "done" ? read.json : undefined
        )
      )
      assert.deepInclude(done["counts"] as object, { runs: { done: 3, total: 3 }, agents: { done: 1, total: 1 } })
      yield* gone(canary)
      assert.deepStrictEqual(yield* sumsOf(tenant.organizationId), before)
    })
  )
})
