/** Who may ask for an erasure, what they are answered, and what nobody else sees of it. */
import { assert, layer as suite } from "@effect/vitest"
import { Effect } from "effect"
import { aPerson } from "./people.ts"
import { anAgent, type Json, layer, type Tenant, TestApi } from "./support.ts"

const aRun = Effect.fnUntraced(function* (tenant: Tenant) {
  const api = yield* TestApi
  const agent_id = yield* anAgent(tenant)
  const { json } = yield* api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body: { agent_id } })
  return { agentId: agent_id, runId: String(json["run_id"]), sessionId: String(json["session_id"]) }
})

const answer = (method: string, path: string, call: Parameters<TestApi["Service"]["call"]>[2]) =>
  Effect.flatMap(TestApi, (api) =>
    Effect.map(
      api.call(method, path, call),
      ({ json, status }) => `${status} ${json?.["code"] ?? json?.["state"] ?? ""}`
    )
  )

suite(layer, { excludeTestServices: true })("erasures", (it) => {
  it.effect("take a scope that no key has by default, and that only who has it gives", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const { runId } = yield* aRun(tenant)
      const path = `/api/v1/runs/${runId}`
      const inWorkspace = { "x-workspace-id": tenant.workspaceId }
      assert.strictEqual(yield* answer("DELETE", path, { key: tenant.workspaceKey }), "403 insufficient_scope")
      const byOrganization = { key: tenant.orgKey, headers: inWorkspace }
      assert.strictEqual(yield* answer("DELETE", path, byOrganization), "403 insufficient_scope")
      const named = { name: "Eraser", scopes: ["data:erase"] }
      const give = (call: object) => answer("POST", "/api/v1/auth/api-keys", { body: named, ...call })
      assert.strictEqual(yield* give({ key: tenant.workspaceKey }), "403 insufficient_scope")
      const [owner, admin] = [yield* aPerson(tenant, "owner"), yield* aPerson(tenant, "admin")]
      const as = (person: typeof owner) => ({ headers: { ...person.unsafe, ...inWorkspace } })
      assert.strictEqual(yield* give(as(admin)), "403 insufficient_scope")
      assert.strictEqual(yield* give(as(owner)), "201 ")
      assert.strictEqual(yield* answer("DELETE", path, as(admin)), "403 insufficient_scope")
      const made = yield* api.call("POST", "/api/v1/auth/api-keys", { ...as(owner), body: { name: "Default" } })
      assert.notInclude(made.text, "data:erase")
      assert.strictEqual(yield* answer("DELETE", path, as(owner)), "202 pending")
    })
  )

  it.effect("are answered the same again, also under an Idempotency-Key, and only counted in a dry run", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const key = yield* api.keyWith(tenant, { scopes: ["data:erase"] })
      const { sessionId } = yield* aRun(tenant)
      const path = `/api/v1/sessions/${sessionId}`
      const preview = yield* api.call("DELETE", `${path}?dry_run=true`, { key })
      assert.strictEqual(preview.status, 200, preview.text)
      assert.deepInclude(preview.json["counts"] as object, { runs: 1, sessions: 1 })
      assert.strictEqual(yield* answer("GET", path, { key: tenant.workspaceKey }), "200 ")
      const headers = { "idempotency-key": "once" }
      const first = yield* api.call("DELETE", path, { key, headers })
      const again = yield* api.call("DELETE", path, { key })
      const replayed = yield* api.call("DELETE", path, { key, headers })
      assert.deepStrictEqual([first.status, again.status, replayed.status], [202, 202, 202], first.text)
      assert.strictEqual(new Set([first, again, replayed].map(({ json }) => String(json["id"]))).size, 1)
      assert.strictEqual(replayed.headers.get("idempotency-replayed"), "true")
      const feed = yield* api.call("GET", "/api/v1/activity?resource_type=session", { key: tenant.workspaceKey })
      const entries = (feed.json["items"] as unknown as ReadonlyArray<Json>).filter(
        (entry) => String(entry["action"]) === "session.erasure_requested"
      )
      assert.deepStrictEqual(
        entries.map((entry) => [entry["resource_id"], entry["summary"], entry["payload"]]),
        [[sessionId, "A caller asked for the erasure of a session", { erasure_id: first.json["id"] }]] as unknown
      )
      assert.strictEqual(yield* answer("GET", path, { key: tenant.workspaceKey }), "404 not_found")
      const reply = { key: tenant.workspaceKey, body: { message: "Hello" } }
      assert.strictEqual(yield* answer("POST", `${path}/messages`, reply), "404 not_found")
    })
  )

  it.effect("of another workspace, and of what is there for nobody, are not found", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const [tenant, other] = [yield* api.tenant, yield* api.tenant]
      const [key, foreign] = [
        yield* api.keyWith(tenant, { scopes: ["data:erase"] }),
        yield* api.keyWith(other, { scopes: ["data:erase"] })
      ]
      const foreignOrg = yield* api.keyWith(other, { scopes: ["data:erase", "org:admin"], organization: true })
      const { agentId, runId, sessionId } = yield* aRun(tenant)
      const paths = [
        ["DELETE", `/api/v1/runs/${runId}`],
        ["DELETE", `/api/v1/sessions/${sessionId}`],
        ["POST", `/api/v1/agents/${agentId}/erase`]
      ] as const
      for (const [method, path] of paths) {
        assert.strictEqual(yield* answer(method, path, { key: foreign }), "404 not_found")
        assert.strictEqual(yield* answer(method, `${path}?dry_run=true`, { key: foreign }), "404 not_found")
      }
      const workspace = `/api/v1/org/workspaces/${tenant.workspaceId}`
      assert.strictEqual(yield* answer("DELETE", workspace, { key: foreignOrg }), "404 not_found")
      const { json } = yield* api.call("DELETE", `/api/v1/runs/${runId}`, { key })
      const erasure = `/api/v1/erasures/${json["id"]}`
      assert.strictEqual(yield* answer("GET", erasure, { key }), "200 pending")
      assert.strictEqual(yield* answer("GET", erasure, { key: foreign }), "404 not_found")
      assert.strictEqual(yield* answer("GET", erasure, { key: foreignOrg }), "404 not_found")
    })
  )

  it.effect("of a workspace close it at once, its inbound URLs and its keys included", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const key = yield* api.keyWith(tenant, { scopes: ["data:erase", "org:admin"], organization: true })
      const agent = yield* anAgent(tenant)
      const hook = yield* api.call("POST", `/api/v1/agents/${agent}/webhooks`, { key: tenant.workspaceKey, body: {} })
      const url = new URL(String(hook.json["url"])).pathname
      assert.strictEqual((yield* api.call("POST", url, { body: {} })).status, 202)
      assert.strictEqual(
        yield* answer("DELETE", `/api/v1/org/workspaces/${tenant.workspaceId}`, { key }),
        "202 pending"
      )
      assert.strictEqual(yield* answer("GET", "/api/v1/agents", { key: tenant.workspaceKey }), "401 invalid_credential")
      assert.strictEqual(yield* answer("POST", url, { body: {} }), "404 not_found")
      const named = { key: tenant.orgKey, headers: { "x-workspace-id": tenant.workspaceId } }
      assert.strictEqual(yield* answer("GET", "/api/v1/agents", named), "404 not_found")
    })
  )

  it.effect("need not be asked for where a workspace keeps its runs for some days only", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const path = `/api/v1/org/workspaces/${tenant.workspaceId}`
      const patch = (retention_days: unknown) =>
        api.call("PATCH", path, { key: tenant.orgKey, body: { retention_days } })
      const { json } = yield* patch(30)
      assert.strictEqual(Number(json["retention_days"]), 30)
      assert.strictEqual((yield* patch(0)).status, 422)
      assert.strictEqual((yield* patch(1.5)).status, 422)
      assert.isNull((yield* patch(null)).json["retention_days"])
    })
  )
})
