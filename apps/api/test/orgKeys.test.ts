import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layer as layerApi, TestApi } from "./support.ts"

const KEYS = "/api/v1/org/api-keys"

layer(layerApi, { excludeTestServices: true })("organization keys", (it) => {
  describe("POST /api/v1/org/api-keys", () => {
    it.effect("answers 201 with a key that reaches every workspace of the organization", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { orgKey, workspaceId } = yield* api.tenant
        const { json, status } = yield* api.call("POST", KEYS, { key: orgKey, body: { name: "Backend" } })
        assert.strictEqual(status, 201)
        assert.strictEqual(String(json["kind"]), "organization")
        assert.isNull(json["workspace_id"])
        assert.match(String(json["key"]), /^apk_org_[0-9A-Za-z]{49}$/)
        const agents = yield* api.call("GET", "/api/v1/agents", {
          key: String(json["key"]),
          headers: { "x-workspace-id": workspaceId }
        })
        assert.strictEqual(agents.status, 200)
      })
    )

    it.effect("makes an organization key whatever workspace the request names", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { orgKey, workspaceId } = yield* api.tenant
        const { json } = yield* api.call("POST", KEYS, {
          key: orgKey,
          headers: { "x-workspace-id": workspaceId },
          body: { name: "Backend" }
        })
        assert.isNull(json["workspace_id"])
      })
    )

    it.effect("answers 403 to scopes that the creator lacks, and 422 to no scope at all", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const key = yield* api.keyWith(tenant, { organization: true, scopes: ["org:admin"] })
        const greedy = yield* api.call("POST", KEYS, { key, body: { name: "x", scopes: ["webhooks:write"] } })
        assert.strictEqual(greedy.status, 403)
        const none = yield* api.call("POST", KEYS, { key, body: { name: "x", scopes: [] } })
        assert.strictEqual(none.status, 422)
      })
    )

    it.effect("answers a repetition under its Idempotency-Key without the value", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { orgKey } = yield* api.tenant
        const call = { key: orgKey, headers: { "idempotency-key": "k" }, body: { name: "x" } }
        const first = yield* api.call("POST", KEYS, call)
        const again = yield* api.call("POST", KEYS, call)
        assert.strictEqual(String(again.json["id"]), String(first.json["id"]))
        assert.isNull(again.json["key"])
      })
    )
  })

  describe("GET /api/v1/org/api-keys", () => {
    it.effect("answers 200 with organization keys alone", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { orgKey } = yield* api.tenant
        const { json, status } = yield* api.call("GET", KEYS, { key: orgKey })
        assert.strictEqual(status, 200)
        const kinds = (json["items"] as unknown as ReadonlyArray<{ kind: string }>).map(({ kind }) => kind)
        assert.deepStrictEqual(kinds, ["organization"])
      })
    )
  })

  describe("DELETE /api/v1/org/api-keys/{key_id}", () => {
    it.effect("answers 200 and the key is refused from then on, even when it revoked itself", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { orgKey } = yield* api.tenant
        const made = yield* api.call("POST", KEYS, { key: orgKey, body: { name: "x" } })
        const key = String(made.json["key"])
        const revoked = yield* api.call("DELETE", `${KEYS}/${made.json["id"]}`, { key })
        assert.strictEqual(revoked.status, 200)
        const refused = yield* api.call("GET", KEYS, { key })
        assert.strictEqual(String(refused.json["code"]), "credential_revoked")
      })
    )

    it.effect("answers 404 to a workspace key's id", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const me = yield* api.call("GET", "/api/v1/auth/me", { key: tenant.workspaceKey })
        const answer = yield* api.call("DELETE", `${KEYS}/${me.json["auth"]!["key_id"]}`, { key: tenant.orgKey })
        assert.strictEqual(answer.status, 404)
      })
    )
  })
})
