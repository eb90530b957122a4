/** How keys are changed over the wire, of workspaces and of organizations alike. */
import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { UNKNOWN_ID } from "./endpoints.ts"
import { aPerson } from "./people.ts"
import { type Call, layer as layerApi, type Tenant, TestApi } from "./support.ts"

const levels = [
  { level: "workspace", path: "/api/v1/auth/api-keys", keyOf: (tenant: Tenant) => tenant.workspaceKey },
  { level: "organization", path: "/api/v1/org/api-keys", keyOf: (tenant: Tenant) => tenant.orgKey }
] as const

layer(layerApi, { excludeTestServices: true })("PATCH", (it) => {
  for (const { keyOf, level, path } of levels) {
    describe(`${path}/{key_id}`, () => {
      /** A tenant with a key of the level, and what changes that. */
      const setUp = Effect.fnUntraced(function* (body: object = {}) {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const key = keyOf(tenant)
        const made = yield* api.call("POST", path, { key, body: { name: "Child", ...body } })
        const address = `${path}/${made.json["id"]}`
        const patch = (change: unknown, call: Call = {}) => api.call("PATCH", address, { key, body: change, ...call })
        return { address, api, key, made, patch, tenant, value: String(made.json["key"]) }
      })

      it.effect("answers 200 with the changed key, and 200 with the same when nothing is changed", () =>
        Effect.gen(function* () {
          const { made, patch } = yield* setUp()
          const change = {
            name: "Other",
            scopes: ["runs:read"],
            expires_at: "2036-01-01T00:00:00.000Z",
            allowed_ips: ["203.0.113.7", "2001:DB8::/32"],
            rate_limit: { limit: 600, window_seconds: 60 },
            metadata: { team: "blue" },
            status: "disabled"
          }
          const { json, status } = yield* patch(change)
          assert.strictEqual(status, 200)
          const { key: _, ...before } = made.json as unknown as Record<string, unknown>
          assert.deepStrictEqual(json as unknown, {
            ...before,
            ...change,
            allowed_ips: ["203.0.113.7/32", "2001:db8::/32"],
            version: 2
          })
          assert.deepStrictEqual((yield* patch({})).json, json)
          const cleared = yield* patch({ expires_at: null, allowed_ips: [], rate_limit: null, status: "active" })
          assert.deepInclude(cleared.json as unknown, {
            expires_at: null,
            allowed_ips: [],
            rate_limit: null,
            status: "active",
            version: 3
          })
        })
      )

      it.effect("holds from the very next request of the key on", () =>
        Effect.gen(function* () {
          const { api, patch, value } = yield* setUp()
          const me = () => api.call("GET", "/api/v1/auth/me", { key: value })
          yield* patch({ status: "disabled" })
          const refused = yield* me()
          assert.strictEqual(refused.status, 401)
          assert.strictEqual(String(refused.json["code"]), "credential_disabled")
          yield* patch({ status: "active" })
          assert.strictEqual((yield* me()).status, 200)
        })
      )

      it.effect("answers 409 when the version is not the one in If-Match, quoted or bare", () =>
        Effect.gen(function* () {
          const { patch } = yield* setUp()
          assert.strictEqual((yield* patch({ name: "two" }, { headers: { "if-match": '"1"' } })).status, 200)
          assert.strictEqual((yield* patch({ name: "three" }, { headers: { "if-match": "2" } })).status, 200)
          for (const version of ["1", '"1"', '"4"']) {
            const { json, status } = yield* patch({ name: "four" }, { headers: { "if-match": version } })
            assert.strictEqual(status, 409)
            assert.strictEqual(String(json["code"]), "version_conflict")
            assert.include(String(json["detail"]), "3")
          }
        })
      )

      it.effect("answers 422 to an If-Match that is no version", () =>
        Effect.gen(function* () {
          const { patch } = yield* setUp()
          for (const version of ["*", "x", 'W/"1"', '"1', "-1", "1e3"]) {
            const { json, status } = yield* patch({ name: "x" }, { headers: { "if-match": version } })
            assert.strictEqual(status, 422, version)
            assert.strictEqual(String(json["errors"]![0]!["pointer"]), "If-Match")
          }
        })
      )

      it.effect("answers 422 with every fault of the body at once", () =>
        Effect.gen(function* () {
          const { patch } = yield* setUp()
          const { json, status } = yield* patch({
            name: "",
            scopes: [],
            expires_at: "tomorrow",
            allowed_ips: ["10.0.0.0/8", "10.0.0.1/8", "x"],
            rate_limit: { limit: 0, window_seconds: 86_401, burst: 1 },
            metadata: { a: 1 },
            status: "revoked",
            expires_in_seconds: 1
          })
          assert.strictEqual(status, 422)
          const errors = json["errors"] as unknown as ReadonlyArray<{ pointer: string }>
          assert.sameMembers(
            errors.map(({ pointer }) => pointer),
            [
              "/name",
              "/scopes",
              "/expires_at",
              "/allowed_ips/1",
              "/allowed_ips/2",
              "/rate_limit/limit",
              "/rate_limit/window_seconds",
              "/rate_limit/burst",
              "/metadata/a",
              "/status",
              "/expires_in_seconds"
            ]
          )
          assert.notMatch(JSON.stringify(errors), /Expected|Schema|Struct|undefined|AST/)
        })
      )

      it.effect("answers 422 to a key that is revoked, expired or rotating", () =>
        Effect.gen(function* () {
          const revoked = yield* setUp()
          yield* revoked.api.call("DELETE", revoked.address, { key: revoked.key })
          const rotating = yield* setUp()
          const rotation = { key: rotating.key, body: { grace_seconds: 60 } }
          yield* rotating.api.call("POST", `${rotating.address}/rotate`, rotation)
          const expired = yield* setUp()
          yield* expired.api.call("POST", `${expired.address}/rotate`, { key: expired.key, body: {} })
          for (const [status, { patch }] of Object.entries({ revoked, rotating, expired })) {
            const answer = yield* patch({ name: "x" })
            assert.strictEqual(answer.status, 422)
            assert.strictEqual(String(answer.json["code"]), "validation_failed")
            assert.strictEqual(String(answer.json["detail"]), `A key that is ${status} cannot be changed`)
          }
        })
      )

      it.effect("answers 403 to who lacks a scope of the key, or would give what it lacks", () =>
        Effect.gen(function* () {
          const { api, patch, tenant } = yield* setUp({ scopes: ["runs:read", "runs:write"] })
          const organization = level === "organization"
          const own = organization ? "org:admin" : "keys:write"
          const weak = yield* api.keyWith(tenant, { organization, scopes: [own, "runs:read"] })
          const stranger = yield* patch({ name: "x" }, { key: weak })
          assert.strictEqual(stranger.status, 403)
          assert.strictEqual(String(stranger.json["code"]), "insufficient_scope")
          const able = yield* api.keyWith(tenant, { organization, scopes: [own, "runs:read", "runs:write"] })
          assert.strictEqual((yield* patch({ scopes: ["byok:read"] }, { key: able })).status, 403)
          assert.strictEqual((yield* patch({ scopes: ["runs:read"] }, { key: able })).status, 200)
        })
      )

      it.effect("answers 422 to more time or networks than the calling key has", () =>
        Effect.gen(function* () {
          const { api, patch, tenant } = yield* setUp({ expires_in_seconds: 60, allowed_ips: ["127.0.0.0/8"] })
          const organization = level === "organization"
          const short = yield* api.keyWith(tenant, {
            organization,
            expiresAt: DateTime.add(yield* DateTime.now, { hours: 1 }),
            allowedIps: ["127.0.0.0/8"]
          })
          const pointerOf = (change: unknown) =>
            Effect.map(patch(change, { key: short }), ({ json, status }) => {
              assert.strictEqual(status, 422)
              return String(json["errors"]![0]!["pointer"])
            })
          assert.strictEqual(yield* pointerOf({ expires_at: null }), "/expires_at")
          assert.strictEqual(yield* pointerOf({ expires_at: "2020-01-01T00:00:00Z" }), "/expires_at")
          assert.strictEqual(yield* pointerOf({ allowed_ips: [] }), "/allowed_ips")
          assert.strictEqual(yield* pointerOf({ allowed_ips: ["126.0.0.0/7"] }), "/allowed_ips")
          assert.strictEqual((yield* patch({ allowed_ips: ["127.1.0.0/16"] }, { key: short })).status, 200)
        })
      )

      it.effect("answers 404 to a key of another owner as to one that never was", () =>
        Effect.gen(function* () {
          const { api, patch } = yield* setUp()
          const stranger = yield* api.tenant
          const foreign = yield* patch({ name: "x" }, { key: keyOf(stranger) })
          assert.strictEqual(foreign.status, 404)
          const unknown = yield* api.call("PATCH", `${path}/${UNKNOWN_ID}`, {
            key: keyOf(stranger),
            body: { name: "x" }
          })
          const { instance: _one, request_id: _two, ...rest } = foreign.json as unknown as Record<string, unknown>
          assert.deepInclude(unknown.json as unknown, rest)
        })
      )
    })
  }

  it.effect("by a session of an owner or admin may give an organization key every scope, webhooks included", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      for (const role of ["owner", "admin"] as const) {
        const { unsafe: headers } = yield* aPerson(tenant, role)
        const scopes = ["org:admin", "webhooks:read", "webhooks:write"]
        const made = yield* api.call("POST", "/api/v1/org/api-keys", { headers, body: { name: "Hooks", scopes } })
        assert.strictEqual(made.status, 201)
        assert.isNull(made.json["expires_at"])
        assert.strictEqual(String(made.json["created_by"]!["type"]), "user")
        const hooks = yield* api.call("GET", "/api/v1/org/webhooks", { key: String(made.json["key"]) })
        assert.strictEqual(hooks.status, 200)
        const address = `/api/v1/org/api-keys/${made.json["id"]}`
        const changed = yield* api.call("PATCH", address, { headers, body: { scopes: ["webhooks:read"] } })
        assert.strictEqual(changed.status, 200)
        const rotated = yield* api.call("POST", `${address}/rotate`, { headers, body: {} })
        assert.strictEqual(rotated.status, 201)
        const inside = yield* api.call("POST", "/api/v1/auth/api-keys", {
          headers: { ...headers, "x-workspace-id": tenant.workspaceId },
          body: { name: "Inside", scopes: ["webhooks:read"] }
        })
        assert.strictEqual(inside.status, 422)
      }
    })
  )
})
