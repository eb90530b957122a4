/** Changing, checking and revoking a workspace's own keys for model providers. Spec: BYOK. */
import { UnitOfWork, WorkspaceId } from "@agent-platform/kernel"
import { ProviderKeyId, ProviderKeyStore } from "@agent-platform/keys"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { answer, BYOK, KEY, list, REFUSED, registered } from "./byokSupport.ts"
import { layer as layerApi, type Tenant, TestApi } from "./support.ts"

layer(layerApi, { excludeTestServices: true })("provider keys", (it) => {
  describe("PATCH /api/v1/byok/{key_id}", () => {
    const patch = (tenant: Tenant, id: string, body: unknown, headers: Record<string, string> = {}) =>
      TestApi.use((api) => api.call("PATCH", `${BYOK}/${id}`, { key: tenant.workspaceKey, body, headers }))

    it.effect("answers 200 with the key as it is then, what is not named as it was", () =>
      Effect.gen(function* () {
        const tenant = yield* TestApi.use((api) => api.tenant)
        const id = yield* registered(tenant, { name: "One", allowed_models: ["gpt-5"] })
        const { json, status } = yield* patch(tenant, id, { priority: 1, fallback: "platform" })
        assert.strictEqual(status, 200)
        assert.deepInclude(json, { name: "One", priority: 1, fallback: "platform", version: 2 } as never)
        assert.deepStrictEqual(json["allowed_models"] as unknown, ["gpt-5"])
        const opened = yield* patch(tenant, id, { allowed_models: null })
        assert.isNull(opened.json["allowed_models"])
        const same = yield* patch(tenant, id, { priority: 1 })
        assert.strictEqual(Number(same.json["version"]), 3)
      })
    )

    it.effect("takes a new value that the provider accepts, and answers 422 to one that it refuses", () =>
      Effect.gen(function* () {
        const tenant = yield* TestApi.use((api) => api.tenant)
        const id = yield* registered(tenant)
        const fresh = "sk-proj-ZYXWVUTSRQPONMLKJIHGFEDCBA9876543210"
        yield* answer(REFUSED)
        const refused = yield* patch(tenant, id, { key: fresh })
        assert.strictEqual(refused.status, 422)
        assert.strictEqual(String(refused.json["code"]), "provider_rejected_key")
        assert.strictEqual(String((yield* list(tenant)).json["items"]![0]!["hint"]), "sk-p…wxyz")
        yield* answer({ type: "accepted" })
        const taken = yield* patch(tenant, id, { key: fresh })
        assert.strictEqual(taken.status, 200)
        assert.strictEqual(String(taken.json["hint"]), "sk-p…3210")
        assert.strictEqual(String(taken.json["status"]), "active")
        assert.notInclude(taken.text, fresh)
      })
    )

    it.effect("answers 409 to a version that is not there any more", () =>
      Effect.gen(function* () {
        const tenant = yield* TestApi.use((api) => api.tenant)
        const id = yield* registered(tenant)
        const first = yield* patch(tenant, id, { name: "One" }, { "if-match": '"1"' })
        assert.strictEqual(first.status, 200)
        const late = yield* patch(tenant, id, { name: "Two" }, { "if-match": "1" })
        assert.strictEqual(late.status, 409)
        assert.strictEqual(String(late.json["code"]), "version_conflict")
      })
    )

    it.effect("answers 422 to a provider, a base URL, and to any change of a revoked key", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const id = yield* registered(tenant)
        for (const body of [{ base_url: "https://evil.example.com" }, { provider: "google" }, { priority: null }]) {
          assert.strictEqual((yield* patch(tenant, id, body)).status, 422)
        }
        yield* api.call("DELETE", `${BYOK}/${id}`, { key: tenant.workspaceKey })
        for (const body of [{ name: "Back" }, { key: KEY }]) {
          const { json, status } = yield* patch(tenant, id, body)
          assert.strictEqual(status, 422)
          assert.strictEqual(String(json["code"]), "validation_failed")
        }
      })
    )
  })

  describe("POST /api/v1/byok/{key_id}/validate", () => {
    const validate = (tenant: Tenant, id: string) =>
      TestApi.use((api) => api.call("POST", `${BYOK}/${id}/validate`, { key: tenant.workspaceKey }))

    it.effect("answers 200 with the key: invalid when it is refused, active when it is taken again", () =>
      Effect.gen(function* () {
        const tenant = yield* TestApi.use((api) => api.tenant)
        const id = yield* registered(tenant)
        yield* answer(REFUSED)
        const refused = yield* validate(tenant, id)
        assert.strictEqual(refused.status, 200)
        assert.strictEqual(String(refused.json["status"]), "invalid")
        assert.strictEqual(String(refused.json["last_error"]!["provider_code"]), "invalid_api_key")
        yield* answer({ type: "accepted" })
        const taken = yield* validate(tenant, id)
        assert.strictEqual(String(taken.json["status"]), "active")
        assert.isNull(taken.json["last_error"])
      })
    )

    it.effect("answers 409 provider_key_unreadable for a value that does not open", () =>
      Effect.gen(function* () {
        const [store, unit] = [yield* ProviderKeyStore, yield* UnitOfWork]
        const tenant = yield* TestApi.use((api) => api.tenant)
        const id = ProviderKeyId.make(yield* registered(tenant))
        const workspaceId = WorkspaceId.make(tenant.workspaceId)
        yield* unit.atomic(store.update(workspaceId, id, (key) => ({ key, sealed: "sealed elsewhere" })))
        const answered = yield* validate(tenant, id)
        assert.strictEqual(`${answered.status} ${answered.json["code"]}`, "409 provider_key_unreadable")
      })
    )

    it.effect("answers 422 for a revoked key", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const id = yield* registered(tenant)
        yield* api.call("DELETE", `${BYOK}/${id}`, { key: tenant.workspaceKey })
        assert.strictEqual((yield* validate(tenant, id)).status, 422)
      })
    )
  })

  describe("DELETE /api/v1/byok/{key_id}", () => {
    it.effect("answers 200, and the same the second time; the list still has the key, revoked", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const id = yield* registered(tenant)
        const first = yield* api.call("DELETE", `${BYOK}/${id}`, { key: tenant.workspaceKey })
        assert.strictEqual(first.status, 200)
        assert.strictEqual(String(first.json["status"]), "revoked")
        const again = yield* api.call("DELETE", `${BYOK}/${id}`, { key: tenant.workspaceKey })
        assert.strictEqual(again.text, first.text)
        assert.strictEqual(String((yield* list(tenant)).json["items"]![0]!["status"]), "revoked")
      })
    )
  })

  it.effect("of another workspace are 404 like unknown and malformed ids, to every operation", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const [mine, theirs] = [yield* api.tenant, yield* api.tenant]
      const foreign = yield* registered(theirs)
      const comparable = (text: string) => text.replace(/"request_id":"[^"]+"/, "").replace(/"instance":"[^"]+"/, "")
      const calls = [
        ["PATCH", (id: string) => `${BYOK}/${id}`, { body: { name: "Mine" } }],
        ["PATCH", (id: string) => `${BYOK}/${id}`, { body: { key: KEY } }],
        ["POST", (id: string) => `${BYOK}/${id}/validate`, {}],
        ["DELETE", (id: string) => `${BYOK}/${id}`, {}]
      ] as const
      for (const [method, path, call] of calls) {
        const answers = yield* Effect.forEach([foreign, "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77", "openai"], (id) =>
          api.call(method, path(id), { key: mine.workspaceKey, ...call })
        )
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          [404, 404, 404]
        )
        assert.strictEqual(new Set(answers.map(({ text }) => comparable(text))).size, 1)
      }
      assert.strictEqual(String((yield* list(theirs)).json["items"]![0]!["status"]), "active")
    })
  )
})
