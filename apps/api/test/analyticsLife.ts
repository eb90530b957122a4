/** A workspace whose agents call models, as analytics reports it: over whichever ports the API is given. */
import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { UNKNOWN_ID } from "./endpoints.ts"
import { anAgent, type Json, type Tenant, TestApi } from "./support.ts"

export const ANALYTICS = "/api/v1/analytics"

export const SPEND = { provider: "openai", model: "gpt-4o-mini", input_tokens: 1_000_000, output_tokens: 1_000_000 }
export const DEARER = { ...SPEND, model: "gpt-4o", output_tokens: 0, cache_read_tokens: 500_000 }
export const UNKNOWN = { ...SPEND, provider: "acme", model: "nobody-knows" }

export const get = Effect.fnUntraced(function* (tenant: Tenant, path: string) {
  const api = yield* TestApi
  const { json, status, text } = yield* api.call("GET", `${ANALYTICS}${path}`, { key: tenant.workspaceKey })
  assert.strictEqual(status, 200, text)
  return json
})

export const run = Effect.fnUntraced(function* (
  tenant: Tenant,
  agent_id: string,
  steps: ReadonlyArray<object>,
  labels: object = {}
) {
  const api = yield* TestApi
  const { json } = yield* api.call("POST", "/api/v1/runs/", {
    key: tenant.workspaceKey,
    body: { agent_id, input: { steps }, wait_seconds: 30, ...labels }
  })
  return json
})

/** Asks until the roll-ups have counted so many runs and calls, each of which may come first; a few seconds at most. */
export const counted = Effect.fnUntraced(function* (
  tenant: Tenant,
  { requests, runs }: Record<"requests" | "runs", number>
) {
  for (let look = 0; look < 400; look++) {
    const usage = yield* get(tenant, "/usage?group_by=model")
    if (Number(usage["runs"]!["total"]) === runs && Number(usage["usage"]!["requests"]) === requests) return usage
    yield* Effect.sleep("25 millis")
  }
  return assert.fail("Not all of it is counted")
})

export const lines = (json: Json, name = "items") => json[name] as unknown as ReadonlyArray<Json>

/** The cases. */
export const analyticsLife = (it: Vitest.MethodsNonLive<TestApi>) => {
  it.effect("report the same for runs, hours, days and the run itself", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const [agent, other] = [yield* anAgent(tenant), yield* anAgent(tenant)]
      const first = yield* run(tenant, agent, [{ spend: SPEND }, { spend: SPEND }, { spend: DEARER }, { return: 1 }])
      const second = yield* run(tenant, other, [{ spend: UNKNOWN }, { ask: "Well?" }])
      yield* run(tenant, other, [{ fail: "broken" }])
      assert.deepStrictEqual([String(first["status"]), String(second["status"])], ["succeeded", "succeeded"])

      const usage = yield* counted(tenant, { runs: 3, requests: 4 })
      assert.deepStrictEqual(usage["runs"] as unknown, { total: 3, succeeded: 1, paused: 1, failed: 1, cancelled: 0 })
      assert.strictEqual(String(usage["cost_usd"]), String(first["cost_usd"]))
      assert.strictEqual(String(usage["platform_cost_usd"]), String(first["cost_usd"]))
      assert.strictEqual(String(usage["byok_cost_usd"]), "0.00")
      assert.strictEqual(Number(usage["unpriced_requests"]), 1)
      assert.deepStrictEqual(usage["usage"] as unknown, {
        requests: 4,
        input_tokens: 4_000_000,
        cache_read_tokens: 500_000,
        cache_write_tokens: 0,
        output_tokens: 3_000_000,
        reasoning_tokens: 0
      })
      assert.deepStrictEqual(
        lines(usage, "groups").map(({ key, runs, usage }) => [key, runs, usage!["requests"]] as unknown),
        [
          ["gpt-4o", null, 1],
          ["gpt-4o-mini", null, 2],
          ["nobody-knows", null, 1]
        ]
      )

      const byAgent = lines(yield* get(tenant, "/usage?group_by=agent_id"), "groups")
      assert.sameMembers(
        byAgent.map(({ key }) => String(key)),
        [agent, other]
      )
      const ofOther = yield* get(tenant, `/usage?agent_id=${other}`)
      assert.deepStrictEqual([ofOther["runs"]!["total"], ofOther["usage"]!["requests"]] as unknown, [2, 1])
      const ofModel = yield* get(tenant, "/usage?model=gpt-4o&provider=openai")
      assert.deepStrictEqual([ofModel["runs"]!["total"], ofModel["usage"]!["requests"]] as unknown, [3, 1])
      for (const malformed of ["nonsense", "%00"]) {
        const ofNobody = yield* get(tenant, `/usage?agent_id=${malformed}`)
        assert.strictEqual(Number(ofNobody["usage"]!["requests"]), 0, malformed)
      }

      const hourly = yield* get(tenant, "/hourly")
      const hours = lines(hourly)
      assert.strictEqual(hours.length, 720)
      assert.strictEqual(
        hours.reduce((sum, { requests }) => sum + Number(requests), 0),
        4
      )
      assert.strictEqual(
        hours.reduce((sum, { runs }) => sum + Number(runs), 0),
        3
      )
      assert.isTrue(hours.slice(0, -2).every(({ cost_usd }) => String(cost_usd) === "0.00"))

      const ended = hours.filter(({ runs }) => Number(runs) > 0)
      assert.deepStrictEqual(
        (["succeeded", "paused", "failed", "cancelled", "total"] as const).map((outcome) =>
          ended.reduce((sum, { outcomes }) => sum + Number(outcomes![outcome]), 0)
        ),
        [1, 1, 1, 0, 3]
      )
      assert.isTrue(ended.every(({ run_latency_ms: latency }) => Number(latency!["p50"]) <= Number(latency!["p99"])))
      assert.isNull(hours[0]!["run_latency_ms"])

      const month = yield* get(tenant, "/billing?group_by=model")
      const { as_of: asOf, cap, items, totals, ...rest } = month as unknown as Record<string, Json>
      assert.match(String(asOf), /Z$/)
      assert.deepStrictEqual(rest as unknown, {
        period: String(asOf).slice(0, 7),
        timezone: "UTC",
        status: "open",
        currency: "USD"
      })
      assert.deepStrictEqual(totals as unknown, {
        runs: 3,
        requests: 4,
        cost_usd: first["cost_usd"],
        byok_cost_usd: "0.00",
        platform_cost_usd: first["cost_usd"],
        unpriced_requests: 1,
        adjustments_usd: "0.00"
      })
      assert.strictEqual(String(cap!["spent_usd"]), String(first["cost_usd"]))
      assert.isNull(cap!["monthly_cap_usd"])
      assert.isNull(cap!["remaining_usd"])
      const today = (items as unknown as ReadonlyArray<Json>).find(({ date }) =>
        asOf!.toString().startsWith(String(date))
      )
      assert.deepInclude(today as unknown as object, { requests: 4, status: "provisional", revision: 0 })

      assert.deepStrictEqual(
        lines(today as Json, "groups").map(({ model, requests, unpriced_requests }) => [
          String(model),
          Number(requests),
          Number(unpriced_requests)
        ]),
        [
          ["gpt-4o", 1, 0],
          ["gpt-4o-mini", 2, 0],
          ["nobody-knows", 1, 1]
        ]
      )
      assert.strictEqual((items as unknown as ReadonlyArray<Json>).length, new Date(String(asOf)).getUTCDate())

      const costs = yield* get(tenant, `/runs/${first["run_id"]}/costs`)
      assert.strictEqual(String(costs["total_cost_usd"]), String(first["cost_usd"]))
      assert.strictEqual(String(costs["reserved_usd"]), "0.00")
      assert.deepStrictEqual(
        lines(costs).map(({ key_source, model, requests }) => [model, requests, key_source] as unknown),
        [
          ["gpt-4o", 1, "platform"],
          ["gpt-4o-mini", 2, "platform"]
        ]
      )

      const page = yield* get(tenant, `/runs/${first["run_id"]}/requests?limit=2`)
      assert.deepStrictEqual(
        lines(page).map(({ seq }) => Number(seq)),
        [3, 2]
      )
      const rest2 = yield* get(tenant, `/runs/${first["run_id"]}/requests?limit=2&cursor=${page["next_cursor"]}`)
      assert.deepStrictEqual(
        lines(rest2).map(({ request_model, seq }) => [seq, request_model] as unknown),
        [[1, "gpt-4o-mini"]]
      )
      assert.isNull(rest2["next_cursor"])
    })
  )

  it.effect("knows neither another workspace's runs nor what they used", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const [tenant, stranger] = [yield* api.tenant, yield* api.tenant]
      const made = yield* run(tenant, yield* anAgent(tenant), [{ spend: SPEND }, { return: 1 }])
      yield* counted(tenant, { runs: 1, requests: 1 })
      assert.strictEqual(Number((yield* get(stranger, "/usage"))["usage"]!["requests"]), 0)
      for (const id of [String(made["run_id"]), UNKNOWN_ID, "nonsense"]) {
        for (const reading of ["costs", "requests"]) {
          const { json, status } = yield* api.call("GET", `${ANALYTICS}/runs/${id}/${reading}`, {
            key: stranger.workspaceKey
          })
          assert.strictEqual(`${status} ${json["code"]}`, "404 not_found")
        }
      }
    })
  )
}
