/** Spend caps as callers meet them, with the step `spend` of the recipe `demo`. Spec: Spend caps. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { anAgent, layerWithWorkers, type Tenant, TestApi } from "./support.ts"

const RUNS = "/api/v1/runs/"

/** A call that costs 0.50 USD: 200,000 tokens in at 2.50 USD per million. */
const SPEND = { spend: { provider: "openai", model: "gpt-4o", input_tokens: 200_000, output_tokens: 0 } }

layer(layerWithWorkers, { excludeTestServices: true })("a workspace with a spend cap", (it) => {
  const capped = Effect.fnUntraced(function* (monthly_cap_usd: string | null) {
    const api = yield* TestApi
    const tenant = yield* api.tenant
    const patch = (cap: string | null) =>
      api.call("PATCH", `/api/v1/org/workspaces/${tenant.workspaceId}`, {
        key: tenant.orgKey,
        body: { monthly_cap_usd: cap }
      })
    yield* patch(monthly_cap_usd)
    const agent_id = yield* anAgent(tenant)
    const trigger = (steps: ReadonlyArray<unknown>, more: Record<string, unknown> = {}) =>
      api.call("POST", RUNS, {
        key: tenant.workspaceKey,
        body: { agent_id, input: { steps }, wait_seconds: 30, ...more }
      })
    return { api, tenant, agent_id, patch, trigger }
  })

  const spending = Effect.fnUntraced(function* (tenant: Tenant) {
    const api = yield* TestApi
    const { json } = yield* api.call("GET", "/api/v1/auth/workspace", { key: tenant.workspaceKey })
    const cap = json["spend_cap"]! as unknown as Record<string, unknown>
    return [cap["spent_usd"], cap["reserved_usd"], cap["status"]]
  })

  describe("POST /api/v1/runs/", () => {
    it.effect("shows what a run has cost, and its tokens, on the run, in its log and on the workspace", () =>
      Effect.gen(function* () {
        const { api, tenant, trigger } = yield* capped("10.00")
        const { json, status } = yield* trigger([SPEND, SPEND, { return: 1 }])
        assert.strictEqual(status, 202)
        const run = json as unknown as Record<string, unknown>
        assert.deepInclude(run, { status: "succeeded", cost_usd: "1.00" })
        assert.deepInclude(run["usage"] as object, { requests: 2, input_tokens: 400_000 })
        assert.deepStrictEqual(yield* spending(tenant), ["1.00", "0.00", "ok"])
        const log = yield* api.call("GET", `${RUNS}${String(run["run_id"])}/logs`, {
          key: tenant.workspaceKey,
          headers: { accept: "application/json" }
        })
        const items = log.json["items"] as unknown as ReadonlyArray<{ type: string; data: Record<string, unknown> }>
        const requests = items.filter(({ type }) => type === "llm.request")
        assert.strictEqual(requests.length, 2)
        assert.deepInclude(requests[0]!.data, { provider: "openai", request_model: "gpt-4o", cost_usd: "0.50" })
      })
    )

    it.effect(
      "fails a run alone whose call exceeds the cap; answers 402 once nearly all of it is spent, and no more once it is raised",
      () =>
        Effect.gen(function* () {
          const { patch, tenant, trigger } = yield* capped("0.90")
          const alone = yield* trigger([SPEND, SPEND])
          assert.deepInclude(alone.json as unknown as object, {
            status: "failed",
            error_code: "call_exceeds_cap",
            error:
              "The call can cost 0.50 USD and the workspace has 0.40 of 0.90 left, with 0.00 held back for calls under way",
            cost_usd: "0.50"
          })
          assert.deepStrictEqual(yield* spending(tenant), ["0.50", "0.00", "ok"])
          yield* patch("0.52")
          const failed = yield* trigger([SPEND])
          assert.deepInclude(failed.json as unknown as object, { status: "failed", error_code: "cap_reached" })
          assert.deepStrictEqual(yield* spending(tenant), ["0.50", "0.00", "reached"])
          const { json, status } = yield* trigger([{ return: 1 }])
          assert.deepStrictEqual([status, String(json["code"])], [402, "cap_reached"])
          yield* patch("2.00")
          assert.strictEqual((yield* trigger([SPEND])).status, 202)
          assert.deepStrictEqual(yield* spending(tenant), ["1.00", "0.00", "ok"])
          yield* patch("1.00")
          assert.strictEqual((yield* trigger([{ return: 1 }])).status, 402)
          yield* patch(null)
          assert.strictEqual((yield* trigger([{ return: 1 }])).status, 202)
        })
    )

    it.effect("answers 402 at a cap of nothing, and keeps other workspaces out of it", () =>
      Effect.gen(function* () {
        const [none, other] = [yield* capped("0.00"), yield* capped(null)]
        assert.strictEqual((yield* none.trigger([{ return: 1 }])).status, 402)
        assert.strictEqual((yield* other.trigger([SPEND])).status, 202)
      })
    )

    it.effect("fails a run at its own cap and at its agent's, whichever is lower, and nobody else's", () =>
      Effect.gen(function* () {
        const { agent_id, api, tenant, trigger } = yield* capped(null)
        const codeOf = (max_cost_usd: string | undefined) =>
          Effect.map(trigger([SPEND], max_cost_usd === undefined ? {} : { max_cost_usd }), ({ json }) =>
            String((json as unknown as Record<string, unknown>)["error_code"])
          )
        assert.strictEqual(yield* codeOf("0.49"), "call_exceeds_cap")
        assert.strictEqual(yield* codeOf("0.50"), "null")
        yield* api.call("PATCH", `/api/v1/agents/${agent_id}`, {
          key: tenant.workspaceKey,
          body: { max_cost_usd: "0.40" }
        })
        assert.strictEqual(yield* codeOf("0.50"), "call_exceeds_cap")
        assert.strictEqual(yield* codeOf(undefined), "call_exceeds_cap")
      })
    )

    it.effect("refuses a model without a price under a cap, and counts it without a cost elsewhere", () =>
      Effect.gen(function* () {
        const UNKNOWN = { spend: { ...SPEND.spend, model: "gpt-nobody-knows" } }
        const [under, free] = [yield* capped("10.00"), yield* capped(null)]
        const refused = yield* under.trigger([UNKNOWN])
        assert.deepInclude(refused.json as unknown as object, { status: "failed", error_code: "model_unpriced" })
        const made = yield* free.trigger([UNKNOWN, { return: 1 }])
        assert.deepInclude(made.json as unknown as object, { status: "succeeded", cost_usd: "0.00" })
      })
    )

    it.effect("answers a repetition under its Idempotency-Key as before, although the cap is reached by then", () =>
      Effect.gen(function* () {
        const { agent_id, api, patch, tenant } = yield* capped(null)
        const request = { key: tenant.workspaceKey, headers: { "idempotency-key": "k" }, body: { agent_id } }
        const first = yield* api.call("POST", RUNS, request)
        yield* patch("0.00")
        const again = yield* api.call("POST", RUNS, request)
        assert.deepStrictEqual(
          [again.status, again.headers.get("idempotency-replayed"), again.json["run_id"]],
          [202, "true", first.json["run_id"]]
        )
      })
    )
  })

  describe("POST /api/v1/sessions/{session_id}/messages", () => {
    it.effect("answers 402 at the cap, and the question stays open", () =>
      Effect.gen(function* () {
        const { api, patch, tenant, trigger } = yield* capped(null)
        const asked = yield* trigger([{ ask: "Shall I?" }])
        const path = `/api/v1/sessions/${String(asked.json["session_id"])}/messages`
        const reply = api.call("POST", path, { key: tenant.workspaceKey, body: { message: "Yes" } })
        yield* patch("0.00")
        const refused = yield* reply
        assert.deepStrictEqual([refused.status, String(refused.json["code"])], [402, "cap_reached"])
        yield* patch("1.00")
        assert.strictEqual((yield* reply).json["resumes_run_id"], asked.json["run_id"])
      })
    )
  })

  describe("POST /api/v1/hooks/{agent_id}/{token}", () => {
    it.effect("answers 402 at the cap", () =>
      Effect.gen(function* () {
        const { agent_id, api, patch, tenant } = yield* capped("0.00")
        const created = yield* api.call("POST", `/api/v1/agents/${agent_id}/webhooks`, {
          key: tenant.workspaceKey,
          body: { verification: "none" }
        })
        const { pathname } = new URL(String(created.json["url"]))
        const send = api.call("POST", pathname, { body: { hello: true } })
        const refused = yield* send
        assert.deepStrictEqual([refused.status, String(refused.json["code"])], [402, "cap_reached"])
        yield* patch(null)
        assert.strictEqual((yield* send).status, 202)
      })
    )
  })
})
