import type { Scope } from "@agent-platform/keys"
import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { layer as layerApi, TestApi } from "./support.ts"

const KEYS = "/api/v1/auth/api-keys"

layer(layerApi, { excludeTestServices: true })("workspace keys", (it) => {
  describe("POST /api/v1/auth/api-keys", () => {
    it.effect("answers 201 with the value, which works and is never shown again", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceId, workspaceKey } = yield* api.tenant
        const { headers, json, status } = yield* api.call("POST", KEYS, {
          key: workspaceKey,
          body: { name: "CI", scopes: ["runs:read", "keys:read"], expires_in_seconds: 3600, metadata: { team: "blue" } }
        })
        assert.strictEqual(status, 201)
        assert.isNull(headers.get("idempotency-replayed"))
        const value = String(json["key"])
        assert.match(value, /^apk_ws_[0-9A-Za-z]{49}$/)
        assert.strictEqual(String(json["hint"]), `${value.slice(0, 11)}…${value.slice(-4)}`)
        assert.strictEqual(String(json["workspace_id"]), workspaceId)
        assert.strictEqual(String(json["status"]), "active")
        assert.deepStrictEqual(json["metadata"] as unknown, { team: "blue" })
        const lifetime = Date.parse(String(json["expires_at"])) - Date.parse(String(json["created_at"]))
        assert.closeTo(lifetime, 3_600_000, 1_000)
        assert.match(String(json["created_at"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

        const listed = yield* api.call("GET", KEYS, { key: value })
        assert.strictEqual(listed.status, 200)
        assert.notInclude(listed.text, value)
        assert.isUndefined(listed.json["items"]![0]!["key"])
      })
    )

    it.effect("gives every scope of the creator when none is named, and none that the creator lacks", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const scopes: ReadonlyArray<Scope> = ["keys:write", "runs:read"]
        const key = yield* api.keyWith(tenant, { scopes })
        const made = yield* api.call("POST", KEYS, { key, body: { name: "Child" } })
        assert.sameMembers([...(made.json["scopes"] as unknown as ReadonlyArray<string>)], [...scopes])
        const greedy = yield* api.call("POST", KEYS, { key, body: { name: "Child", scopes: ["runs:write"] } })
        assert.strictEqual(greedy.status, 403)
        assert.strictEqual(String(greedy.json["code"]), "insufficient_scope")
      })
    )

    it.effect("answers 422 to a scope that no workspace key can have", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const answer = yield* api.call("POST", KEYS, {
          key: tenant.orgKey,
          headers: { "x-workspace-id": tenant.workspaceId },
          body: { name: "Child", scopes: ["webhooks:read"] }
        })
        assert.strictEqual(answer.status, 422)
        assert.strictEqual(String(answer.json["errors"]![0]!["pointer"]), "/scopes")
      })
    )

    it.effect("answers 422 to a key that would outlive its creator, or be born expired", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const key = yield* api.keyWith(tenant, { expiresAt: DateTime.add(yield* DateTime.now, { hours: 1 }) })
        for (const body of [
          { name: "Child", expires_in_seconds: 7200 },
          { name: "Child", expires_at: "2020-01-01T00:00:00Z" }
        ]) {
          const answer = yield* api.call("POST", KEYS, { key, body })
          assert.strictEqual(answer.status, 422)
          assert.strictEqual(String(answer.json["errors"]![0]!["pointer"]), "/expires_at")
        }
        const child = yield* api.call("POST", KEYS, { key, body: { name: "Child" } })
        const me = yield* api.call("GET", "/api/v1/auth/me", { key })
        assert.strictEqual(String(child.json["expires_at"]), String(me.json["auth"]!["expires_at"]))
      })
    )

    it.effect("answers 422 with every fault of the body at once", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey } = yield* api.tenant
        const { json, status } = yield* api.call("POST", KEYS, {
          key: workspaceKey,
          headers: { "idempotency-key": "has space" },
          body: {
            name: "x".repeat(101),
            scopes: ["runs:red"],
            expires_at: "2026-02-30T00:00:00Z",
            expires_in_seconds: 0,
            metadata: { k: "v".repeat(501) },
            allowed_ips: ["10.0.0.1/8"],
            rate_limit: { limit: 1_000_001, window_seconds: 0 },
            colour: "red"
          }
        })
        assert.strictEqual(status, 422)
        assert.strictEqual(String(json["code"]), "validation_failed")
        const pointers = (json["errors"] as unknown as ReadonlyArray<{ pointer: string }>).map(({ pointer }) => pointer)
        assert.sameMembers(pointers, [
          "Idempotency-Key",
          "/colour",
          "/allowed_ips/0",
          "/rate_limit/limit",
          "/rate_limit/window_seconds",
          "/name",
          "/scopes/0",
          "/expires_at",
          "/expires_in_seconds",
          "/metadata/k"
        ])
        assert.notMatch(JSON.stringify(json["errors"]), /Expected|Schema|Struct|undefined|AST/)
      })
    )

    it.effect("answers 422 to both ways of saying when it expires", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey } = yield* api.tenant
        const { json, status } = yield* api.call("POST", KEYS, {
          key: workspaceKey,
          body: { name: "x", expires_at: "2036-01-01T00:00:00Z", expires_in_seconds: 60 }
        })
        assert.strictEqual(status, 422)
        assert.strictEqual(String(json["errors"]![0]!["pointer"]), "/expires_in_seconds")
      })
    )

    it.effect("answers a repetition under its Idempotency-Key with the same key and no value", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey } = yield* api.tenant
        const headers = { "idempotency-key": "k-1" }
        const first = yield* api.call("POST", KEYS, {
          key: workspaceKey,
          headers,
          raw: '{"name":"x","metadata":{"a":"1","b":"2"}}'
        })
        const again = yield* api.call("POST", `${KEYS}/`, {
          key: workspaceKey,
          headers,
          raw: ' { "metadata": {"b":"2", "a":"1"}, "name": "\\u0078" } '
        })
        assert.strictEqual(again.status, 201)
        assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
        assert.strictEqual(String(again.json["id"]), String(first.json["id"]))
        assert.isNull(again.json["key"])
        const other = yield* api.call("POST", KEYS, { key: workspaceKey, headers, body: { name: "y" } })
        assert.strictEqual(other.status, 422)
        assert.strictEqual(String(other.json["code"]), "idempotency_key_reused")
      })
    )
  })

  describe("GET /api/v1/auth/api-keys", () => {
    it.effect("answers 200 page by page, newest first, without a gap while keys are being made", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey } = yield* api.tenant
        const names = ["a", "b", "c", "d", "e"]
        for (const name of names) yield* api.call("POST", KEYS, { key: workspaceKey, body: { name } })
        const seen: Array<string> = []
        let cursor: string | null = ""
        while (cursor !== null) {
          const query: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`
          const { json } = yield* api.call("GET", `${KEYS}?limit=2${query}`, { key: workspaceKey })
          for (const item of json["items"] as unknown as ReadonlyArray<{ name: string }>) seen.push(item.name)
          cursor = json["next_cursor"] as unknown as string | null
          yield* api.call("POST", KEYS, { key: workspaceKey, body: { name: "late" } })
        }
        assert.deepStrictEqual(seen, ["e", "d", "c", "b", "a", "Key"])
      })
    )

    it.effect("answers 422 to limits out of range and to cursors that it did not give out", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        for (const limit of ["0", "51", "-1", "1.5", "1e1", "x", "5&limit=6"]) {
          const answer = yield* api.call("GET", `${KEYS}?limit=${limit}`, { key: tenant.workspaceKey })
          assert.strictEqual(answer.status, 422, limit)
          assert.strictEqual(String(answer.json["errors"]![0]!["pointer"]), "?limit")
        }
        yield* api.call("POST", KEYS, { key: tenant.workspaceKey, body: { name: "x" } })
        const page = yield* api.call("GET", `${KEYS}?limit=1`, { key: tenant.workspaceKey })
        const genuine = String(page.json["next_cursor"])
        const stranger = yield* api.tenant
        const codes = yield* Effect.forEach(
          ["x", `${genuine}x`, `A${genuine.slice(1)}`, genuine.replace(".", "..")],
          (cursor) => api.call("GET", `${KEYS}?cursor=${encodeURIComponent(cursor)}`, { key: tenant.workspaceKey })
        )
        for (const { json, status } of codes) {
          assert.strictEqual(status, 422)
          assert.strictEqual(String(json["code"]), "cursor_invalid")
        }
        const foreign = yield* api.call("GET", `${KEYS}?cursor=${genuine}`, { key: stranger.workspaceKey })
        assert.strictEqual(String(foreign.json["code"]), "cursor_invalid")
        const elsewhere = yield* api.call("GET", `/api/v1/agents?cursor=${genuine}`, { key: tenant.workspaceKey })
        assert.strictEqual(String(elsewhere.json["code"]), "cursor_invalid")
      })
    )
  })

  describe("DELETE /api/v1/auth/api-keys/{key_id}", () => {
    it.effect("answers 200, again the same, and the key is refused from its next request on", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey } = yield* api.tenant
        const made = yield* api.call("POST", KEYS, { key: workspaceKey, body: { name: "x" } })
        const key = String(made.json["key"])
        const first = yield* api.call("DELETE", `${KEYS}/${made.json["id"]}`, { key: workspaceKey })
        assert.strictEqual(first.status, 200)
        assert.strictEqual(String(first.json["status"]), "revoked")
        const refused = yield* api.call("GET", "/api/v1/auth/me", { key })
        assert.strictEqual(refused.status, 401)
        assert.strictEqual(String(refused.json["code"]), "credential_revoked")
        const again = yield* api.call("DELETE", `${KEYS}/${made.json["id"]}`, { key: workspaceKey })
        assert.strictEqual(again.text, first.text)
      })
    )

    it.effect("answers 404 to an organization key's id", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const me = yield* api.call("GET", "/api/v1/auth/me", { key: tenant.orgKey })
        const answer = yield* api.call("DELETE", `${KEYS}/${me.json["auth"]!["key_id"]}`, { key: tenant.workspaceKey })
        assert.strictEqual(answer.status, 404)
      })
    )
  })
})
