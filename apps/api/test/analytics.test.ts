/** Usage and costs, one describe for an endpoint's refusals. Spec: Analytics. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { analyticsLife } from "./analyticsLife.ts"
import { layerWithWorkers, TestApi } from "./support.ts"

layer(layerWithWorkers, { excludeTestServices: true, timeout: "60 seconds" })("readings over memory", (it) => {
  analyticsLife(it)

  const refusals: ReadonlyArray<readonly [string, string, string]> = [
    [
      "a bound that is no full hour",
      "usage?since=2026-11-01T00:30:00Z&until=2026-11-02T00:00:00Z",
      "?since must be a full hour"
    ],
    [
      "an end before the beginning",
      "usage?since=2026-11-02T00:00:00Z&until=2026-11-01T00:00:00Z",
      "?until must be later"
    ],
    [
      "a time of more than 366 days",
      "usage?since=2025-11-01T00:00:00Z&until=2026-11-03T00:00:00Z",
      "?since must be at most 366"
    ],
    [
      "more than 744 hours",
      "hourly?since=2026-10-01T00:00:00Z&until=2026-11-01T01:00:00Z",
      "?since must be at most 744"
    ],
    ["half an hour", "hourly?until=2026-10-01T00:00:01Z", "?until must be a full hour"],
    ["a month that there is not", "billing?month=2026-13", "?month must be a month"],
    ["a grouping that there is not", "usage?group_by=day", "?group_by must be one of"]
  ]
  for (const [what, query, detail] of refusals) {
    it.effect(`refuse ${what} with 422`, () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey: key } = yield* api.tenant
        const { json, status } = yield* api.call("GET", `/api/v1/analytics/${query}`, { key })
        assert.strictEqual(`${status} ${json["code"]}`, "422 validation_failed")
        assert.include(String(json["detail"]), detail)
      })
    )
  }

  it.effect("take the hours of the workspace's clock for full ones, and follow it", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { orgKey } = yield* api.tenant
      const { json: workspace } = yield* api.call("POST", "/api/v1/org/workspaces", {
        key: orgKey,
        body: { name: "Mumbai", timezone: "Asia/Kolkata", monthly_cap_usd: "10.5" }
      })
      const headers = { "x-workspace-id": String(workspace["id"]) }
      const ask = (path: string) => api.call("GET", `/api/v1/analytics/${path}`, { key: orgKey, headers })
      const range = "since=2026-11-01T00:00:00%2B05:30&until=2026-11-02T00:00:00%2B05:30"
      const hourly = yield* ask(`hourly?${range}`)
      const items = hourly.json["items"] as unknown as ReadonlyArray<{ readonly hour: string }>
      assert.strictEqual(String(hourly.json["timezone"]), "Asia/Kolkata")
      assert.deepStrictEqual([items.length, items[0]?.hour], [24, "2026-10-31T18:30:00.000Z"])
      const { json: past } = yield* ask("billing?month=2026-02")
      const days = past["items"] as unknown as ReadonlyArray<{ readonly date: string }>
      assert.deepStrictEqual([days.length, days[0]?.date, String(past["timezone"])], [28, "2026-02-01", "Asia/Kolkata"])
      assert.deepStrictEqual(past["cap"] as unknown, {
        monthly_cap_usd: null,
        spent_usd: "0.00",
        remaining_usd: null,
        reached_at: null,
        resets_at: "2026-02-28T18:30:00.000Z"
      })
      const { json: present } = yield* ask("billing")
      const cap = present["cap"] as unknown as Record<string, unknown>
      assert.deepInclude(cap, { monthly_cap_usd: "10.50", spent_usd: "0.00", remaining_usd: "10.50" })
    })
  )
})
