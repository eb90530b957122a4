/** Inbound webhooks: created, replaced, deleted. Spec: Agents. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { givenWebhook, runOf, sendHook } from "./inbound.ts"
import { anAgent, BASE_URL, layer as layerApi, TestApi } from "./support.ts"

layer(layerApi, { excludeTestServices: true })("inbound webhooks", (it) => {
  describe("POST /api/v1/agents/{agent_id}/webhooks", () => {
    it.effect("answers 201 with the URL, and the agent says that it has one", () =>
      Effect.gen(function* () {
        const { agent, api, json, tenant } = yield* givenWebhook()
        const { created_at, url, ...rest } = json as unknown as Record<string, unknown>
        assert.match(String(url), new RegExp(`^${BASE_URL}/api/v1/hooks/${agent}/[A-Za-z0-9_-]{43}$`))
        assert.deepStrictEqual(rest, { agent_id: agent, secret: null, verification: "none", map: null })
        const read = yield* api.call("GET", `/api/v1/agents/${agent}`, { key: tenant.workspaceKey })
        assert.deepStrictEqual(read.json["webhook"] as unknown, {
          active: true,
          verification: "none",
          created_at,
          last_received_at: null
        })
      })
    )

    it.effect("makes up a secret for a sender that signs, or takes the sender's", () =>
      Effect.gen(function* () {
        for (const verification of ["stripe", "github", "standard-webhooks"]) {
          const made = yield* givenWebhook({ verification })
          assert.match(String(made.json["secret"]), /^whsec_[A-Za-z0-9+/]{43}=$/)
          const taken = yield* givenWebhook({ verification, secret: "whsec_c2VjcmV0c2VjcmV0" })
          assert.strictEqual(String(taken.json["secret"]), "whsec_c2VjcmV0c2VjcmV0")
        }
      })
    )

    it.effect("shows URL and secret once, not in a repetition", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const path = `/api/v1/agents/${yield* anAgent(tenant)}/webhooks`
        const call = { key: tenant.workspaceKey, body: { verification: "github" }, headers: { "idempotency-key": "k" } }
        const first = yield* api.call("POST", path, call)
        const second = yield* api.call("POST", path, call)
        assert.strictEqual(`${second.status} ${second.headers.get("idempotency-replayed")}`, "201 true")
        assert.deepStrictEqual(second.json as unknown, { ...(first.json as object), url: null, secret: null })
        assert.strictEqual((yield* sendHook(String(first.json["url"]).slice(BASE_URL.length), {})).status, 401)
      })
    )

    it.effect("answers 422 to a secret or a map that cannot be used", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const path = `/api/v1/agents/${yield* anAgent(tenant)}/webhooks`
        const bodies: ReadonlyArray<readonly [string, object]> = [
          ["/secret", { secret: "a-secret" }],
          ["/secret", { verification: "stripe", secret: "short" }],
          ["/secret", { verification: "standard-webhooks", secret: "whsec_not base64!" }],
          ["/verification", { verification: "slack" }],
          ["/map/a", { map: { a: "no/pointer" } }],
          ["/map/a", { map: { a: "/~2" } }],
          ["/map/", { map: { "": "/a" } }],
          ["/map", { map: Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`m${index}`, ""])) }]
        ]
        for (const [pointer, body] of bodies) {
          const { json, status } = yield* api.call("POST", path, { key: tenant.workspaceKey, body })
          assert.strictEqual(`${status} ${json["errors"]?.[0]?.["pointer"]}`, `422 ${pointer}`, JSON.stringify(body))
        }
      })
    )

    it.effect("replaces the URL that there was, which is 404 at once", () =>
      Effect.gen(function* () {
        const { api, hook, path, tenant } = yield* givenWebhook()
        assert.strictEqual((yield* sendHook(hook, {})).status, 202)
        const second = yield* api.call("POST", path, { key: tenant.workspaceKey, body: {} })
        assert.strictEqual((yield* sendHook(hook, {})).status, 404)
        assert.strictEqual((yield* sendHook(String(second.json["url"]).slice(BASE_URL.length), {})).status, 202)
      })
    )
  })

  describe("DELETE /api/v1/agents/{agent_id}/webhooks", () => {
    it.effect("answers 200 with strings only, and the second time the same", () =>
      Effect.gen(function* () {
        const { agent, api, path, tenant } = yield* givenWebhook()
        const { json, status } = yield* api.call("DELETE", path, { key: tenant.workspaceKey })
        assert.strictEqual(status, 200)
        assert.strictEqual(`${json["agent_id"]} ${json["status"]}`, `${agent} deleted`)
        assert.sameMembers(Object.keys(json), ["agent_id", "status", "deleted_at"])
        for (const value of Object.values(json)) assert.isString(value)
        assert.deepStrictEqual((yield* api.call("DELETE", path, { key: tenant.workspaceKey })).json, json)
      })
    )

    it.effect("takes effect at once and keeps the runs that the URL dispatched", () =>
      Effect.gen(function* () {
        const { agent, api, hook, path, tenant } = yield* givenWebhook()
        const { json } = yield* sendHook(hook, {})
        yield* api.call("DELETE", path, { key: tenant.workspaceKey })
        const refused = yield* sendHook(hook, {})
        assert.strictEqual(`${refused.status} ${refused.json["code"]}`, "404 not_found")
        assert.strictEqual((yield* runOf(tenant, json))["run_id"], String(json["run_id"]))
        const read = yield* api.call("GET", `/api/v1/agents/${agent}`, { key: tenant.workspaceKey })
        assert.strictEqual(read.json["webhook"]!["active"] as unknown, false)
      })
    )

    it.effect("answers 404 for an agent that never had one", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const path = `/api/v1/agents/${yield* anAgent(tenant)}/webhooks`
        assert.strictEqual((yield* api.call("DELETE", path, { key: tenant.workspaceKey })).status, 404)
      })
    )
  })
})
