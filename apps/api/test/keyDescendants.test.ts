/** A key is revoked together with all that came of it. docs/security.md, When a key leaks. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { aPerson } from "./people.ts"
import { type Json, layer as layerApi, TestApi } from "./support.ts"

const WORKSPACE_KEYS = "/api/v1/auth/api-keys"
const ORG_KEYS = "/api/v1/org/api-keys"

const UNKNOWN_ID = "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77"

layer(layerApi, { excludeTestServices: true })("DELETE ?descendants=true", (it) => {
  /** Makes a key with another one, and answers its id and value. */
  const make = Effect.fnUntraced(function* (by: string, path: string, headers: Record<string, string> = {}) {
    const api = yield* TestApi
    const { json, status, text } = yield* api.call("POST", path, { key: by, headers, body: { name: "Child" } })
    assert.strictEqual(status, 201, text)
    return { id: String(json["id"]), key: String(json["key"]) }
  })
  const remove = (by: string, path: string, query = "") =>
    TestApi.use((api) => api.call("DELETE", `${path}${query}`, { key: by }))
  const isGood = (key: string) =>
    TestApi.use((api) => Effect.map(api.call("GET", "/api/v1/auth/me", { key }), ({ status }) => status === 200))

  describe(ORG_KEYS, () => {
    it.effect("revokes what the key has made, what that has made, in workspaces as well, and nothing else", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const inWorkspace = { "x-workspace-id": tenant.workspaceId }
        const leaked = yield* make(tenant.orgKey, ORG_KEYS)
        const child = yield* make(leaked.key, ORG_KEYS)
        const grandchild = yield* make(child.key, WORKSPACE_KEYS, inWorkspace)
        const last = yield* make(grandchild.key, WORKSPACE_KEYS)
        const rotated = yield* api.call("POST", `${ORG_KEYS}/${child.id}/rotate`, {
          key: leaked.key,
          body: { grace_seconds: 3_600 }
        })
        const successor = String(rotated.json["new"]!["key"])
        const [sibling, ownKey] = [
          yield* make(tenant.orgKey, ORG_KEYS),
          yield* make(tenant.workspaceKey, WORKSPACE_KEYS)
        ]
        const descendants = [child.key, grandchild.key, last.key, successor]
        for (const key of [leaked.key, ...descendants]) assert.isTrue(yield* isGood(key))

        const { json, status } = yield* remove(tenant.orgKey, `${ORG_KEYS}/${leaked.id}`, "?descendants=true")
        assert.strictEqual(status, 200)
        assert.deepStrictEqual<unknown>(json, {
          id: leaked.id,
          status: "revoked",
          revoked_at: json["revoked_at"],
          descendants_revoked: 4
        })
        for (const key of [leaked.key, ...descendants]) assert.isFalse(yield* isGood(key))
        for (const key of [tenant.orgKey, tenant.workspaceKey, sibling.key, ownKey.key]) {
          assert.isTrue(yield* isGood(key))
        }
        const again = yield* remove(tenant.orgKey, `${ORG_KEYS}/${leaked.id}`, "?descendants=true")
        assert.deepStrictEqual(again.json, json)
      })
    )

    it.effect("finds what an expired or revoked key has made", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const leaked = yield* make(tenant.orgKey, ORG_KEYS)
        const child = yield* make(leaked.key, ORG_KEYS)
        const grandchild = yield* make(child.key, ORG_KEYS)
        yield* remove(tenant.orgKey, `${ORG_KEYS}/${leaked.id}`)
        yield* remove(tenant.orgKey, `${ORG_KEYS}/${child.id}`, "?descendants=false")
        assert.isTrue(yield* isGood(grandchild.key))
        const { json } = yield* remove(tenant.orgKey, `${ORG_KEYS}/${leaked.id}`, "?descendants=true")
        assert.strictEqual(Number(json["descendants_revoked"]), 2)
        assert.isFalse(yield* isGood(grandchild.key))
      })
    )

    it.effect("lets invitations lapse that the key or a descendant made", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const leaked = yield* make(tenant.orgKey, ORG_KEYS)
        const child = yield* make(leaked.key, ORG_KEYS)
        for (const [name, { key }] of [
          ["one", leaked],
          ["two", child]
        ] as const) {
          const body = { email: `${name}@example.com`, organization_role: "owner" }
          assert.strictEqual((yield* api.call("POST", "/api/v1/org/members", { key, body })).status, 201)
        }
        yield* remove(tenant.orgKey, `${ORG_KEYS}/${leaked.id}`, "?descendants=true")
        const { json } = yield* api.call("GET", "/api/v1/org/members", { key: tenant.orgKey })
        const members = json["items"] as unknown as ReadonlyArray<Json>
        assert.deepStrictEqual(
          members.map(({ status }) => String(status)),
          ["lapsed", "lapsed"]
        )
      })
    )
  })

  describe(WORKSPACE_KEYS, () => {
    it.effect("revokes what a workspace key has made, and records each, once", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const leaked = yield* make(tenant.workspaceKey, WORKSPACE_KEYS)
        const child = yield* make(leaked.key, WORKSPACE_KEYS)
        const grandchild = yield* make(child.key, WORKSPACE_KEYS)
        const { unsafe } = yield* aPerson(tenant, "admin")
        const headers = { ...unsafe, "x-workspace-id": tenant.workspaceId }
        for (let round = 0; round < 2; round++) {
          const { json, status } = yield* api.call("DELETE", `${WORKSPACE_KEYS}/${leaked.id}?descendants=true`, {
            headers
          })
          assert.strictEqual(`${status} ${json["descendants_revoked"]}`, "200 2")
        }
        const { json } = yield* api.call("GET", "/api/v1/activity?resource_type=api_key", { key: tenant.workspaceKey })
        const revoked = (json["items"] as unknown as ReadonlyArray<Json>).filter(
          ({ action }) => String(action) === "api_key.revoked"
        )
        assert.sameMembers(
          revoked.map((entry) => String(entry["resource_id"])),
          [leaked.id, child.id, grandchild.id]
        )
        for (const { key } of [leaked, child, grandchild]) assert.isFalse(yield* isGood(key))
      })
    )

    it.effect("leaves descendants alone unless it is asked for them, and says nothing of them", () =>
      Effect.gen(function* () {
        const { workspaceKey } = yield* TestApi.use((api) => api.tenant)
        const leaked = yield* make(workspaceKey, WORKSPACE_KEYS)
        const child = yield* make(leaked.key, WORKSPACE_KEYS)
        const { json } = yield* remove(workspaceKey, `${WORKSPACE_KEYS}/${leaked.id}`)
        assert.hasAllKeys(json, ["id", "status", "revoked_at"])
        assert.isTrue(yield* isGood(child.key))
      })
    )

    it.effect("answers 422 to another value, and 404 to keys of others, which keep what they made", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const [mine, foreign] = [yield* api.tenant, yield* api.tenant]
        const theirs = yield* make(foreign.workspaceKey, WORKSPACE_KEYS)
        const child = yield* make(theirs.key, WORKSPACE_KEYS)
        for (const id of [theirs.id, UNKNOWN_ID, "nonsense"]) {
          const { status } = yield* remove(mine.workspaceKey, `${WORKSPACE_KEYS}/${id}`, "?descendants=true")
          assert.strictEqual(status, 404)
        }
        assert.isTrue(yield* isGood(child.key))
        for (const query of ["?descendants=yes", "?descendants=1", "?descendents=true"]) {
          const { status } = yield* remove(foreign.workspaceKey, `${WORKSPACE_KEYS}/${theirs.id}`, query)
          assert.strictEqual(status, 422, query)
        }
        assert.isTrue(yield* isGood(theirs.key))
      })
    )
  })
})
