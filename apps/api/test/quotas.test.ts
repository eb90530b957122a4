/** How many resources of each kind a tenant may hold. docs/limits.md */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { anAgent, layerMemory, layerOver, TestApi } from "./support.ts"

const QUOTAS = { agents: 2, api_keys: 3, workspaces: 2, members: 2, webhook_endpoints: 2, schedules: 2, erasures: 1 }

const refusal = ({ json, status }: { readonly json: Record<string, unknown>; readonly status: number }) =>
  `${status} ${json["code"]}`

layer(layerOver(layerMemory, { quotas: QUOTAS }), { excludeTestServices: true })("a tenant at its quota", (it) => {
  it.effect("gets 409 for another agent, and another agent once one is deleted", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey: key } = yield* api.tenant
      const create = api.call("POST", "/api/v1/agents", { key, body: { name: "Greeter" } })
      const [first, second] = [yield* create, yield* create]
      assert.deepStrictEqual([first.status, second.status], [201, 201])
      const refused = yield* create
      assert.strictEqual(refusal(refused), "409 quota_exceeded")
      assert.strictEqual(
        String(refused.json["detail"]),
        "The workspace has 2 agents, which is all it may have. Delete some, or ask the operator to raise AGENTS_MAX"
      )
      yield* api.call("DELETE", `/api/v1/agents/${first.json["agent_id"]}`, { key })
      assert.strictEqual((yield* create).status, 201)
    })
  )

  it.effect("gets the answer of its first request again under its Idempotency-Key", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey: key } = yield* api.tenant
      const call = { key, body: { name: "Greeter" }, headers: { "idempotency-key": "once" } }
      const first = yield* api.call("POST", "/api/v1/agents", call)
      yield* api.call("POST", "/api/v1/agents", { key, body: { name: "Other" } })
      const again = yield* api.call("POST", "/api/v1/agents", call)
      assert.deepStrictEqual([again.status, again.json["agent_id"]], [201, first.json["agent_id"]])
    })
  )

  it.effect("gets 409 for another key of its workspace, and another key once one is revoked", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey: key } = yield* api.tenant
      const create = api.call("POST", "/api/v1/auth/api-keys", { key, body: { name: "CI" } })
      const made = [yield* create, yield* create]
      assert.deepStrictEqual(
        made.map(({ status }) => status),
        [201, 201]
      )
      const refused = yield* create
      assert.strictEqual(refusal(refused), "409 quota_exceeded")
      assert.strictEqual(
        String(refused.json["detail"]),
        "The workspace has 3 API keys, which is all it may have. Revoke some, or ask the operator to raise API_KEYS_MAX"
      )
      yield* api.call("DELETE", `/api/v1/auth/api-keys/${made[0]?.json["id"]}`, { key })
      assert.strictEqual((yield* create).status, 201)
    })
  )

  it.effect("gets 409 for another key of the organization, workspace, member and endpoint", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { orgKey: key } = yield* api.tenant
      const each = [
        ["/api/v1/org/api-keys", 2, () => ({ name: "CI" }), "3 API keys", "Revoke some, or ask"],
        ["/api/v1/org/workspaces", 1, () => ({ name: "Another" }), "2 workspaces", "Erase some, or ask"],
        [
          "/api/v1/org/members",
          2,
          (n: number) => ({ email: `m${n}@example.com`, organization_role: "admin" }),
          "2 members",
          "Remove some, or ask"
        ]
      ] as const
      for (const [path, room, body, held, act] of each) {
        for (let n = 0; n < room; n++) {
          assert.strictEqual((yield* api.call("POST", path, { key, body: body(n) })).status, 201, path)
        }
        const refused = yield* api.call("POST", path, { key, body: body(room) })
        assert.strictEqual(refusal(refused), "409 quota_exceeded", path)
        const detail = `The organization has ${held}, which is all it may have. ${act} the operator to raise `
        assert.isTrue(String(refused.json["detail"]).startsWith(detail), String(refused.json["detail"]))
      }
      const changed = yield* api.call("POST", "/api/v1/org/members", {
        key,
        body: { email: "m1@example.com", organization_role: "owner" }
      })
      assert.strictEqual(changed.status, 201, "who is a member is changed, and not one more")
    })
  )

  it.effect("gets 409 for another erasure, and its first one again", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const key = yield* api.keyWith(tenant, { scopes: ["data:erase"] })
      const erase = Effect.map(anAgent(tenant), (id) => api.call("POST", `/api/v1/agents/${id}/erase`, { key }))
      const [first, second] = [yield* erase, yield* erase]
      const asked = yield* first
      assert.strictEqual(asked.status, 202)
      const refused = yield* second
      assert.strictEqual(refusal(refused), "409 quota_exceeded")
      assert.include(String(refused.json["detail"]), "Wait for their end, or ask the operator to raise ERASURES_MAX")
      assert.strictEqual(String((yield* first).json["id"]), String(asked.json["id"]))
    })
  )

  it.effect("gets 409 for another endpoint, however many of them are disabled", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { orgKey: key } = yield* api.tenant
      const create = api.call("POST", "/api/v1/org/webhooks", { key, body: { url: "https://receiver.example.com/" } })
      const first = yield* create
      yield* api.call("PATCH", `/api/v1/org/webhooks/${first.json["id"]}`, { key, body: { status: "disabled" } })
      assert.strictEqual((yield* create).status, 201)
      assert.strictEqual(refusal(yield* create), "409 quota_exceeded")
      yield* api.call("DELETE", `/api/v1/org/webhooks/${first.json["id"]}`, { key })
      assert.strictEqual((yield* create).status, 201)
    })
  )

  it.effect("gets 409 for another schedule, paused ones counted, and another one once one is deleted", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const key = tenant.workspaceKey
      const agent_id = yield* anAgent(tenant)
      const create = api.call("POST", "/api/v1/schedules", {
        key,
        body: { agent_id, cron: "0 9 * * *", enabled: false }
      })
      const first = yield* create
      assert.strictEqual((yield* create).status, 201)
      const refused = yield* create
      assert.strictEqual(refusal(refused), "409 quota_exceeded")
      assert.include(String(refused.json["detail"]), "The workspace has 2 schedules")
      yield* api.call("DELETE", `/api/v1/schedules/${first.json["id"]}`, { key })
      assert.strictEqual((yield* create).status, 201)
    })
  )
})
