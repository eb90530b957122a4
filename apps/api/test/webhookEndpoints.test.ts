/** An endpoint's life. Spec: Organization webhooks. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Call, layer as layerApi, type Tenant, TestApi } from "./support.ts"

const WEBHOOKS = "/api/v1/org/webhooks"

/** An endpoint of the tenant, and how to call for it. */
const registered = Effect.fnUntraced(function* (body: object = {}) {
  const api = yield* TestApi
  const tenant = yield* api.tenant
  return yield* registeredFor(tenant, body)
})

const registeredFor = Effect.fnUntraced(function* (tenant: Tenant, body: object = {}) {
  const api = yield* TestApi
  const { json } = yield* api.call("POST", WEBHOOKS, {
    key: tenant.orgKey,
    body: { url: "https://example.com/", ...body }
  })
  const path = `${WEBHOOKS}/${json["id"]}`
  const call = (method: string, rest = "", more: Call = {}) =>
    api.call(method, `${path}${rest}`, { key: tenant.orgKey, ...more })
  const { secret, ...endpoint } = json as unknown as Record<string, unknown>
  return { call, endpoint, path, secret: String(secret), tenant }
})

layer(layerApi, { excludeTestServices: true })("a webhook endpoint", (it) => {
  describe("GET /api/v1/org/webhooks/{endpoint_id}", () => {
    it.effect("answers 200 with the endpoint and without its secret", () =>
      Effect.gen(function* () {
        const { call, endpoint, secret } = yield* registered({ event_types: ["run.failed"], description: "Ours" })
        const { json, status, text } = yield* call("GET")
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(json as unknown, endpoint)
        assert.notInclude(text, secret)
      })
    )
  })

  describe("PATCH /api/v1/org/webhooks/{endpoint_id}", () => {
    it.effect("answers 200 with what is changed and what is not", () =>
      Effect.gen(function* () {
        const { call, endpoint } = yield* registered({ event_types: ["run.failed"], description: "Ours" })
        const url = "https://example.com/elsewhere"
        const moved = yield* call("PATCH", "", { body: { url, description: null } })
        assert.strictEqual(moved.status, 200)
        assert.deepStrictEqual(moved.json as unknown, { ...endpoint, url, description: null })
        const same = yield* call("PATCH", "", { body: {} })
        assert.deepStrictEqual(same.json as unknown, moved.json as unknown)
      })
    )

    it.effect("names workspaces of the organization, no others, and none again", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const foreign = yield* api.tenant
        const { call, endpoint, tenant } = yield* registered()
        assert.deepStrictEqual(endpoint["workspace_ids"], [])
        const named = yield* call("PATCH", "", { body: { workspace_ids: [tenant.workspaceId] } })
        assert.deepStrictEqual(named.json as unknown, { ...endpoint, workspace_ids: [tenant.workspaceId] })
        for (const workspace_id of [foreign.workspaceId, "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77", "none"]) {
          const body = { url: "https://example.com/", workspace_ids: [tenant.workspaceId, workspace_id] }
          const register = yield* api.call("POST", WEBHOOKS, { key: tenant.orgKey, body })
          const change = yield* call("PATCH", "", { body: { workspace_ids: [workspace_id] } })
          assert.deepStrictEqual([register.status, change.status], [404, 404], workspace_id)
          const wanted = "There is no such resource: /workspace_ids must be ids of workspaces that you can see"
          assert.deepStrictEqual<unknown>(
            [register.json["detail"], change.json["detail"]],
            [wanted, wanted],
            workspace_id
          )
        }
        const many = Array.from({ length: 101 }, () => tenant.workspaceId)
        assert.strictEqual((yield* call("PATCH", "", { body: { workspace_ids: many } })).status, 422)
        assert.deepStrictEqual((yield* call("GET")).json as unknown, named.json as unknown)
        const all = yield* call("PATCH", "", { body: { workspace_ids: [] } })
        assert.deepStrictEqual(all.json as unknown, endpoint)
      })
    )

    it.effect("disables and enables", () =>
      Effect.gen(function* () {
        const { call } = yield* registered()
        const off = yield* call("PATCH", "", { body: { status: "disabled" } })
        assert.strictEqual(`${off.json["status"]} ${off.json["disabled_reason"]}`, "disabled disabled_by_request")
        const on = yield* call("PATCH", "", { body: { status: "active" } })
        assert.strictEqual(`${on.json["status"]} ${on.json["disabled_reason"]}`, "active null")
      })
    )

    it.effect("answers 422 to URLs that are not public, and to what cannot be set", () =>
      Effect.gen(function* () {
        const { call } = yield* registered()
        const inside = yield* call("PATCH", "", { body: { url: "https://metadata.internal/" } })
        assert.strictEqual(`${inside.status} ${inside.json["code"]}`, "422 url_not_public")
        for (const body of [{ status: "deleted" }, { url: null }, { event_types: null }, { secret: "whsec_mine" }]) {
          assert.strictEqual((yield* call("PATCH", "", { body })).status, 422, JSON.stringify(body))
        }
      })
    )
  })

  describe("POST /api/v1/org/webhooks/{endpoint_id}/enable", () => {
    it.effect("answers 200 with the endpoint, active", () =>
      Effect.gen(function* () {
        const { call, endpoint } = yield* registered()
        yield* call("PATCH", "", { body: { status: "disabled" } })
        const { json, status } = yield* call("POST", "/enable")
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(json as unknown, endpoint)
      })
    )

    it.effect("answers 409 when there are ten active ones by then", () =>
      Effect.gen(function* () {
        const { call, tenant } = yield* registered()
        yield* call("PATCH", "", { body: { status: "disabled" } })
        yield* Effect.forEach(Array.from({ length: 10 }), () => registeredFor(tenant))
        for (const answer of [
          yield* call("POST", "/enable"),
          yield* call("PATCH", "", { body: { status: "active" } })
        ]) {
          assert.strictEqual(`${answer.status} ${answer.json["code"]}`, "409 endpoint_limit_reached")
        }
      })
    )
  })

  describe("DELETE /api/v1/org/webhooks/{endpoint_id}", () => {
    it.effect("answers 200 with the endpoint as deleted, again the same, and leaves it out of the list", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { call, endpoint, tenant } = yield* registered()
        for (const { json, status } of [yield* call("DELETE"), yield* call("DELETE"), yield* call("GET")]) {
          assert.strictEqual(status, 200)
          assert.deepStrictEqual(json as unknown, { ...endpoint, status: "deleted" })
        }
        const list = yield* api.call("GET", WEBHOOKS, { key: tenant.orgKey })
        assert.deepStrictEqual(list.json["items"] as unknown, [])
      })
    )

    it.effect("has everything that would send to it answer 409", () =>
      Effect.gen(function* () {
        const { call } = yield* registered()
        const { json } = yield* call("POST", "/test", { body: {} })
        yield* call("DELETE")
        const delivery = yield* call("GET", `/deliveries/${json["delivery_id"]}`)
        assert.strictEqual(`${delivery.json["state"]} ${delivery.json["state_reason"]}`, "dead endpoint_deleted")
        const refused = [
          yield* call("PATCH", "", { body: { description: "x" } }),
          yield* call("POST", "/enable"),
          yield* call("POST", "/rotate-secret", { body: {} }),
          yield* call("POST", "/test", { body: {} }),
          yield* call("POST", "/replay", { body: { since: "2025-01-21T05:15:00Z" } }),
          yield* call("POST", `/deliveries/${json["delivery_id"]}/replay`)
        ]
        for (const answer of refused) {
          assert.strictEqual(`${answer.status} ${answer.json["code"]}`, "409 endpoint_inactive")
        }
      })
    )
  })

  describe("POST /api/v1/org/webhooks/{endpoint_id}/rotate-secret", () => {
    it.effect("answers 201 with a new secret, this once, and until when the one before signs", () =>
      Effect.gen(function* () {
        const { call, endpoint, secret } = yield* registered()
        const body = { grace_seconds: 3600 }
        const first = yield* call("POST", "/rotate-secret", { body, headers: { "idempotency-key": "k" } })
        assert.strictEqual(first.status, 201)
        assert.match(String(first.json["secret"]), /^whsec_[A-Za-z0-9+/]{43}=$/)
        assert.notStrictEqual(String(first.json["secret"]), secret)
        const grace = Date.parse(String(first.json["previous_secret_expires_at"])) - Date.now()
        assert.isTrue(grace > 3_590_000 && grace <= 3_600_000)
        assert.strictEqual(String(first.json["id"]), String(endpoint["id"]))
        const again = yield* call("POST", "/rotate-secret", { body, headers: { "idempotency-key": "k" } })
        assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
        assert.isNull(again.json["secret"])
        const atOnce = yield* call("POST", "/rotate-secret", { body: { grace_seconds: 0 } })
        assert.isNull(atOnce.json["previous_secret_expires_at"])
      })
    )

    it.effect("answers 422 to a grace of more than a week", () =>
      Effect.gen(function* () {
        const { call } = yield* registered()
        for (const grace_seconds of [604_801, -1, 1.5, "60", null]) {
          const { json, status } = yield* call("POST", "/rotate-secret", { body: { grace_seconds } })
          assert.strictEqual(status, 422)
          assert.strictEqual(String(json["errors"]![0]!["pointer"]), "/grace_seconds")
        }
      })
    )
  })

  describe("POST /api/v1/org/webhooks/{endpoint_id}/test", () => {
    it.effect("answers 202 with the delivery and its address", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { call, path, tenant } = yield* registered({ event_types: ["run.failed"] })
        const sent = yield* call("POST", "/test", { body: { event_type: "run.paused" } })
        assert.strictEqual(sent.status, 202)
        assert.strictEqual(`${sent.json["event_type"]} ${sent.json["state"]}`, "run.paused pending")
        const location = `${path}/deliveries/${sent.json["delivery_id"]}`
        assert.strictEqual(sent.headers.get("location"), location)
        const read = yield* api.call("GET", location, { key: tenant.orgKey })
        assert.deepStrictEqual(read.json as unknown, sent.json as unknown)
        const plain = yield* call("POST", "/test", { body: {} })
        assert.strictEqual(String(plain.json["event_type"]), "run.succeeded")
      })
    )

    it.effect("answers 422 to kinds of events that there are not", () =>
      Effect.gen(function* () {
        const { call } = yield* registered()
        const { json, status } = yield* call("POST", "/test", { body: { event_type: "run.exploded" } })
        assert.strictEqual(status, 422)
        assert.strictEqual(String(json["errors"]![0]!["pointer"]), "/event_type")
      })
    )
  })
})
