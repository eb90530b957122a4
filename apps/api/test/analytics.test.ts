/** Usage and costs, one describe for an endpoint's refusals. Spec: Analytics. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { analyticsGroups } from "./analyticsGroups.ts"
import { analyticsLife } from "./analyticsLife.ts"
import { layerWithWorkers, TestApi } from "./support.ts"

layer(layerWithWorkers, { excludeTestServices: true, timeout: "60 seconds" })("readings over memory", (it) => {
  analyticsLife(it)
  analyticsGroups(it)

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
    ["a grouping that there is not", "usage?group_by=day", "?group_by must be one of"],
    ["three groupings", "usage?group_by=model,provider&group_by=agent_id", "?group_by must be one of"],
    ["the same grouping twice", "usage?group_by=tag,tag", "?group_by must be one of"],
    ["metadata without a name", "usage?group_by=metadata.", "?group_by must be one of"],
    ["a workspace's usage by workspace", "usage?group_by=workspace_id", "?group_by must be one of"],
    ["a bill by tag", "billing?group_by=tag", "?group_by must be one of"]
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

  it.effect("have no days of a month that has not begun, and of the present one only those that have", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey: key } = yield* api.tenant
      const { json, status } = yield* api.call("GET", "/api/v1/analytics/billing?month=2999-01", { key })
      assert.deepStrictEqual([status, json["items"], json["status"]] as unknown, [200, [], "open"])
      const { json: hourly } = yield* api.call("GET", "/api/v1/analytics/hourly?until=2999-01-01T00:00:00Z", { key })
      assert.deepStrictEqual(hourly["items"] as unknown, [])
    })
  )

  it.effect("refuse an organization's range by full hours of UTC, and one longer than a week by the hour", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { orgKey: key } = yield* api.tenant
      for (const [query, detail] of [
        ["usage?since=2026-11-01T00:00:00%2B05:30&until=2026-11-02T00:00:00Z", "?since must be a full hour, in UTC"],
        ["hourly?since=2026-11-01T00:00:00Z&until=2026-11-08T01:00:00Z", "?since must be at most 168 hours"]
      ] as const) {
        const { json, status } = yield* api.call("GET", `/api/v1/org/analytics/${query}`, { key })
        assert.strictEqual(status, 422)
        assert.include(String(json["detail"]), detail)
      }
      const unknown = yield* api.call("GET", "/api/v1/org/analytics/usage?agent_id=x", { key })
      assert.strictEqual(`${unknown.status} ${unknown.json["code"]}`, "422 unknown_parameter")
    })
  )

  it.effect("answer problems as problems, also to who asks for a table", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey: key } = yield* api.tenant
      const refused = yield* api.call("GET", "/api/v1/analytics/usage?group_by=day", {
        key,
        headers: { accept: "text/csv" }
      })
      assert.strictEqual(refused.status, 422)
      assert.match(refused.headers.get("content-type") ?? "", /^application\/problem\+json/)
      const hourly = yield* api.call("GET", "/api/v1/analytics/hourly", { key, headers: { accept: "text/csv" } })
      const [header = "", ...rows] = hourly.text.trimEnd().split("\r\n")
      assert.match(header, /^hour,runs,outcomes\.total,.*,run_latency_ms\.p50,.*,time_to_first_token_ms\.p99,requests,/)
      assert.strictEqual(rows.length, 720)
      const neither = yield* api.call("GET", "/api/v1/analytics/usage", { key, headers: { accept: "text/html" } })
      assert.strictEqual(neither.status, 406)
    })
  )

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
