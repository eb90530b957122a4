/** Usage kept apart, as a table, and of an organization: over whichever ports the API is given. */
import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { ANALYTICS, counted, DEARER, get, lines, run, SPEND, UNKNOWN } from "./analyticsLife.ts"
import { anAgent, type Json, TestApi } from "./support.ts"

/** The cases. */
export const analyticsGroups = (it: Vitest.MethodsNonLive<TestApi>) => {
  it.effect("keep usage apart by two dimensions, by tags and by metadata, with the names of agents", () =>
    Effect.gen(function* () {
      const tenant = yield* Effect.flatMap(TestApi, ({ tenant }) => tenant)
      const agent = yield* anAgent(tenant)
      const labels = { tags: ["nightly", "beta"], metadata: { customer: "=acme,1" } }
      yield* run(tenant, agent, [{ spend: SPEND }, { spend: DEARER }, { return: 1 }], labels)
      yield* run(tenant, agent, [{ spend: UNKNOWN }, { return: 1 }], { tags: ["beta"] })
      yield* counted(tenant, { runs: 2, requests: 3 })
      const groups = (by: string, ...names: ReadonlyArray<string>) =>
        Effect.map(get(tenant, `/usage?group_by=${by}`), (usage) =>
          lines(usage, "groups").map(
            (group) => [...names.map((name) => group[name]), group["usage"]!["requests"]] as unknown
          )
        )
      assert.deepStrictEqual(yield* groups("model,key_source", "model", "key_source", "key"), [
        ["gpt-4o", "platform", "gpt-4o", 1],
        ["gpt-4o-mini", "platform", "gpt-4o-mini", 1],
        ["nobody-knows", "platform", "nobody-knows", 1]
      ])
      assert.deepStrictEqual(yield* groups("agent_id&group_by=provider", "agent_id", "provider"), [
        [agent, "openai", 2],
        [agent, "acme", 1]
      ])
      const [named] = lines(yield* get(tenant, "/usage?group_by=agent_id"), "groups")
      assert.deepInclude(named as unknown as object, { agent_name: "Greeter", other: false })
      assert.strictEqual(Number((named as Json)["runs"]!["total"]), 2)
      assert.deepStrictEqual(yield* groups("tag", "tag"), [
        ["beta", 3],
        ["nightly", 2]
      ])
      assert.deepStrictEqual(yield* groups("metadata.customer,tag", "metadata", "tag"), [
        [{ customer: "=acme,1" }, "beta", 2],
        [{ customer: "=acme,1" }, "nightly", 2],
        [{ customer: null }, "beta", 1]
      ])
      assert.deepStrictEqual(yield* groups("metadata.customer,metadata.b", "metadata"), [
        [{ customer: "=acme,1", b: null }, 2],
        [{ customer: null, b: null }, 1]
      ])

      const api = yield* TestApi
      const table = yield* api.call("GET", `${ANALYTICS}/usage?group_by=metadata.customer&group_by=agent_id`, {
        key: tenant.workspaceKey,
        headers: { accept: "text/csv" }
      })
      const [header = "", first = ""] = table.text.split("\r\n")
      assert.match(header, /^metadata\.customer,agent_id,agent_name,key,other,runs\.total,/)
      assert.match(header, /,unpriced_requests$/)
      assert.isTrue(first.startsWith(`"'=acme,1",${agent},Greeter,"'=acme,1",false,`), first)
      assert.match(table.headers.get("content-type") ?? "", /^text\/csv/)
      assert.match(table.headers.get("content-disposition") ?? "", /^attachment; filename="usage_[-_0-9]+\.csv"$/)
      assert.match(table.headers.get("vary") ?? "", /Accept/)
    })
  )

  it.effect("add up the workspaces of an organization for its key, and tell which is whose", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const { json: second } = yield* api.call("POST", "/api/v1/org/workspaces", {
        key: tenant.orgKey,
        body: { name: "Second", timezone: "Asia/Kolkata", allow_platform_keys: true }
      })
      const other = { ...tenant, workspaceId: String(second["id"]) }
      const { json: key } = yield* api.call("POST", "/api/v1/auth/api-keys", {
        key: tenant.orgKey,
        headers: { "x-workspace-id": other.workspaceId },
        body: { name: "Second's" }
      })
      const theirs = { ...other, workspaceKey: String(key["key"]) }
      yield* run(tenant, yield* anAgent(tenant), [{ spend: SPEND }, { return: 1 }])
      yield* run(theirs, yield* anAgent(theirs), [{ spend: SPEND }, { spend: DEARER }, { return: 1 }])
      const [mine, its] = [
        yield* counted(tenant, { runs: 1, requests: 1 }),
        yield* counted(theirs, { runs: 1, requests: 2 })
      ]
      const ask = (path: string) =>
        Effect.map(api.call("GET", `/api/v1/org/analytics/${path}`, { key: tenant.orgKey }), ({ json }) => json)
      const usage = yield* ask("usage?group_by=workspace_id")
      assert.strictEqual(String(usage["organization_id"]), tenant.organizationId)
      assert.strictEqual(Number(usage["usage"]!["requests"]), 3)
      assert.strictEqual(Number(usage["runs"]!["total"]), 2)
      assert.deepStrictEqual(
        lines(usage, "groups").map(
          ({ cost_usd, workspace_id, workspace_name }) => [workspace_id, workspace_name, cost_usd] as unknown
        ),
        [
          [theirs.workspaceId, "Second", its["cost_usd"]],
          [tenant.workspaceId, lines(usage, "groups")[1]?.["workspace_name"], mine["cost_usd"]]
        ]
      )
      const hours = yield* ask("hourly")
      assert.strictEqual(lines(hours).length, 168)
      assert.strictEqual(String(hours["timezone"]), "UTC")
      assert.strictEqual(
        lines(hours).reduce((sum, { requests }) => sum + Number(requests), 0),
        3
      )
      const bill = yield* ask("billing?group_by=workspace_id")
      assert.strictEqual(String(bill["totals"]!["cost_usd"]), String(usage["cost_usd"]))
      assert.isUndefined(bill["cap"])

      // A reading of the other organization has nothing of it.
      const stranger = yield* api.tenant
      const { json } = yield* api.call("GET", "/api/v1/org/analytics/usage", { key: stranger.orgKey })
      assert.strictEqual(Number(json["usage"]!["requests"]), 0)
    })
  )
}
