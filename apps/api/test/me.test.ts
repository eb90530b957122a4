import { freshId, OrganizationId, UnitOfWork, WorkspaceId } from "@agent-platform/kernel"
import { ApiKeyId, ApiKeyStore, generateKeyValue, hashKeyValue, hintOf, WORKSPACE_SCOPES } from "@agent-platform/keys"
import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Effect, Redacted } from "effect"
import { Digest } from "effect/crypto"
import { layer as layerApi, TestApi } from "./support.ts"

layer(layerApi, { excludeTestServices: true })("identity", (it) => {
  describe("GET /api/v1/auth/me", () => {
    it.effect("answers 200 with the key, its workspace and its organization", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { json, status } = yield* api.call("GET", "/api/v1/auth/me", { key: tenant.workspaceKey })
        assert.strictEqual(status, 200)
        assert.strictEqual(String(json["auth"]!["method"]), "api_key")
        assert.deepStrictEqual(json["auth"]!["scopes"] as unknown, [...WORKSPACE_SCOPES])
        assert.deepStrictEqual<unknown>(json["workspace"], { id: tenant.workspaceId, name: "Main" })
        assert.deepStrictEqual<unknown>(json["organization"], { id: tenant.organizationId, name: "Acme" })
        assert.isNull(json["user"])
        assert.isNull(json["csrf_token"])
      })
    )

    it.effect("shows an organization key without a workspace, and with the one that it names", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const without = yield* api.call("GET", "/api/v1/auth/me", { key: tenant.orgKey })
        assert.strictEqual(String(without.json["auth"]!["method"]), "org_api_key")
        assert.isNull(without.json["workspace"])
        const within = yield* api.call("GET", "/api/v1/auth/me", {
          key: tenant.orgKey,
          headers: { "x-workspace-id": tenant.workspaceId }
        })
        assert.strictEqual(String(within.json["workspace"]!["id"]), tenant.workspaceId)
      })
    )

    it.effect("takes the key as X-API-Key, too, and the same key twice", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey } = yield* api.tenant
        const one = yield* api.call("GET", "/api/v1/auth/me", { headers: { "x-api-key": workspaceKey } })
        assert.strictEqual(one.status, 200)
        const both = yield* api.call("GET", "/api/v1/auth/me", {
          key: workspaceKey,
          headers: { "x-api-key": workspaceKey }
        })
        assert.strictEqual(both.status, 200)
        const lower = yield* api.call("GET", "/api/v1/auth/me", {
          headers: { authorization: `bearer ${workspaceKey}`, "x-api-key": "" }
        })
        assert.strictEqual(lower.status, 200)
      })
    )

    it.effect("answers 400 to two different credentials", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { orgKey, workspaceKey } = yield* api.tenant
        const { json, status } = yield* api.call("GET", "/api/v1/auth/me", {
          key: workspaceKey,
          headers: { "x-api-key": orgKey }
        })
        assert.strictEqual(status, 400)
        assert.strictEqual(String(json["code"]), "conflicting_credentials")
      })
    )

    it.effect(
      "answers 401 to empty, malformed, unknown, expired, disabled and revoked keys, each by its own code",
      () =>
        Effect.gen(function* () {
          const api = yield* TestApi
          const tenant = yield* api.tenant
          const codeFor = (headers: Record<string, string>) =>
            Effect.map(
              api.call("GET", "/api/v1/auth/me", { headers }),
              ({ json, status }) => `${status} ${json["code"]}`
            )
          assert.strictEqual(yield* codeFor({ authorization: "Bearer", "x-api-key": "" }), "401 missing_credential")
          assert.strictEqual(yield* codeFor({ authorization: "Basic dXNlcjpwYXNz" }), "401 malformed_credential")
          assert.strictEqual(yield* codeFor({ "x-api-key": `${tenant.workspaceKey}x` }), "401 malformed_credential")
          const stranger = Redacted.value(yield* generateKeyValue("workspace"))
          assert.strictEqual(yield* codeFor({ "x-api-key": stranger }), "401 invalid_credential")

          const soon = DateTime.add(yield* DateTime.now, { milliseconds: 40 })
          const shortLived = yield* api.keyWith(tenant, { expiresAt: soon })
          yield* Effect.repeat(codeFor({ "x-api-key": shortLived }), { until: (code) => code !== "200 undefined" })
          assert.strictEqual(yield* codeFor({ "x-api-key": shortLived }), "401 credential_expired")
          assert.strictEqual(yield* codeFor({ "x-api-key": yield* disabledKey(tenant) }), "401 credential_disabled")
        })
    )
  })
})

/** A key of the tenant that is switched off, which no operation of this version does. */
const disabledKey = Effect.fnUntraced(function* (tenant: {
  readonly organizationId: string
  readonly workspaceId: string
}) {
  const store = yield* ApiKeyStore
  const unit = yield* UnitOfWork
  const value = yield* generateKeyValue("workspace")
  const hash = yield* Effect.provide(hashKeyValue(value), Digest.layerWebCrypto)
  const id = yield* freshId(ApiKeyId)
  const now = yield* DateTime.now
  yield* unit.atomic(
    store.insert(
      {
        id,
        kind: "workspace",
        organizationId: OrganizationId.make(tenant.organizationId),
        workspaceId: WorkspaceId.make(tenant.workspaceId),
        name: "Off",
        hint: hintOf(value),
        scopes: [...WORKSPACE_SCOPES],
        organizationRole: null,
        allowedIps: [],
        rateLimit: null,
        metadata: {},
        disabled: true,
        version: 1,
        createdAt: now,
        createdBy: { type: "user", id, label: "Off" },
        expiresAt: null,
        revokedAt: null,
        lastUsedAt: null,
        replacedBy: null,
        boundTo: null,
        reads: null
      },
      hash
    )
  )
  return Redacted.value(value)
})
