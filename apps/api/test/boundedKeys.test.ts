/** An organization key that something bounds does not widen itself, by whomever it invites. Decision 0036. */
import { WORKSPACE_SCOPES } from "@agent-platform/keys"
import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { aBrowser, layer as layerApi, logIn, nextPerson } from "./loginSupport.ts"
import { aPerson } from "./people.ts"
import { type Call, type Tenant, TestApi } from "./support.ts"

const MEMBERS = "/api/v1/org/members"
const KEYS = "/api/v1/org/api-keys"

/** Asks, and answers `status code`. */
const outcome = (method: string, path: string, call: Call) =>
  TestApi.use((api) => Effect.map(api.call(method, path, call), ({ json, status }) => `${status} ${json["code"]}`))

const inHours = (hours: number) => Effect.map(DateTime.now, (now) => DateTime.add(now, { hours }))

/** A key for each thing that bounds one. */
const boundedKeys = Effect.fnUntraced(function* (tenant: Tenant) {
  const api = yield* TestApi
  return [
    yield* api.keyWith(tenant, { organization: true, scopes: [...WORKSPACE_SCOPES, "org:admin"] }),
    yield* api.keyWith(tenant, { organization: true, expiresAt: yield* inHours(1) }),
    yield* api.keyWith(tenant, { organization: true, allowedIps: ["127.0.0.0/8", "::1/128"] })
  ]
})

layer(layerApi, { excludeTestServices: true })("an organization key with a bound", (it) => {
  describe("POST /api/v1/org/members", () => {
    it.effect("answers 403 to every organization role, and invites nobody", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        for (const key of yield* boundedKeys(tenant)) {
          for (const organization_role of ["admin", "owner"]) {
            const body = { email: "eve@example.com", organization_role }
            assert.strictEqual(yield* outcome("POST", MEMBERS, { key, body }), "403 insufficient_scope")
          }
        }
        const { json } = yield* api.call("GET", MEMBERS, { key: tenant.orgKey })
        assert.deepStrictEqual<unknown>(json["items"], [])
        const unbounded = { key: tenant.orgKey, body: { email: "eve@example.com", organization_role: "admin" } }
        assert.strictEqual(yield* outcome("POST", MEMBERS, unbounded), "201 undefined")
      })
    )

    it.effect("gives the workspace roles whose scopes the key has, and no other", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const reading = WORKSPACE_SCOPES.filter((scope) => scope.endsWith(":read"))
        const keys = [
          yield* api.keyWith(tenant, { organization: true, scopes: [...reading, "org:admin"] }),
          yield* api.keyWith(tenant, { organization: true, scopes: [...reading.slice(1), "org:admin"] }),
          yield* api.keyWith(tenant, { organization: true, expiresAt: yield* inHours(1) })
        ]
        const answers = []
        for (const [index, key] of keys.entries()) {
          for (const role of ["viewer", "member"]) {
            const workspaces = [{ workspace_id: tenant.workspaceId, role }]
            const body = { email: `${role}.${index}@example.com`, workspaces }
            answers.push(yield* outcome("POST", MEMBERS, { key, body }))
          }
        }
        assert.deepStrictEqual(answers, [
          "201 undefined",
          "403 insufficient_scope",
          "403 insufficient_scope",
          "403 insufficient_scope",
          "201 undefined",
          "201 undefined"
        ])
      })
    )

    it.effect("answers 403 to a change or removal of an admin, and leaves who it is", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { headers, member } = yield* aPerson(tenant, "admin")
        const workspaces = [{ workspace_id: tenant.workspaceId, role: "viewer" }]
        for (const key of yield* boundedKeys(tenant)) {
          const body = { email: member.email, workspaces }
          assert.strictEqual(yield* outcome("POST", MEMBERS, { key, body }), "403 insufficient_scope")
          assert.strictEqual(yield* outcome("DELETE", `${MEMBERS}/${member.id}`, { key }), "403 insufficient_scope")
        }
        assert.strictEqual((yield* api.call("GET", MEMBERS, { headers })).status, 200)
      })
    )
  })

  describe("an invitation", () => {
    /** An invitation to the workspace by an organization key that is good for an hour, and the person that it is for. */
    const invitation = Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const made = yield* api.call("POST", KEYS, {
        key: tenant.orgKey,
        body: { name: "HR", expires_in_seconds: 3_600 }
      })
      const person = yield* nextPerson("google")
      const workspaces = [{ workspace_id: tenant.workspaceId, role: "member" }]
      const body = { email: person.email, workspaces }
      const invited = yield* api.call("POST", MEMBERS, { key: String(made.json["key"]), body })
      assert.strictEqual(`${invited.status} ${invited.json["status"]}`, "201 invited")
      const keyPath = `${KEYS}/${made.json["id"]}`
      const status = Effect.map(api.call("GET", MEMBERS, { key: tenant.orgKey }), ({ json }) =>
        String(json["items"]![0]!["status"])
      )
      const comes = Effect.map(
        Effect.flatMap(aBrowser, (browser) => logIn(browser, "google")),
        (shown) => (shown.status === 302 ? "302" : `${shown.status} ${shown.code}`)
      )
      return { body, comes, key: String(made.json["key"]), keyPath, status, tenant }
    })

    it.effect("is taken up while the key is good, and what came of it stays when the key is revoked", () =>
      Effect.gen(function* () {
        const { comes, keyPath, status, tenant } = yield* invitation
        assert.strictEqual(yield* comes, "302")
        assert.strictEqual(yield* outcome("DELETE", keyPath, { key: tenant.orgKey }), "200 undefined")
        assert.strictEqual(yield* status, "joined")
        assert.strictEqual(yield* comes, "302")
      })
    )

    for (const [what, method, path, body] of [
      ["is revoked", "DELETE", "", undefined],
      ["is switched off", "PATCH", "", { status: "disabled" }],
      ["was replaced and its grace is over", "POST", "/rotate", { grace_seconds: 0 }]
    ] as const) {
      it.effect(`lapses once the key that made it ${what}`, () =>
        Effect.gen(function* () {
          const { comes, keyPath, status, tenant } = yield* invitation
          const call = { key: tenant.orgKey, ...(body === undefined ? {} : { body }) }
          assert.match(yield* outcome(method, `${keyPath}${path}`, call), /^20\d undefined$/)
          assert.strictEqual(yield* status, "lapsed")
          assert.strictEqual(yield* comes, "403 not_invited")
          assert.strictEqual(yield* status, "lapsed")
        })
      )
    }

    it.effect("that has lapsed is renewed by a second one", () =>
      Effect.gen(function* () {
        const { body, comes, keyPath, status, tenant } = yield* invitation
        yield* outcome("DELETE", keyPath, { key: tenant.orgKey })
        assert.strictEqual(yield* outcome("POST", MEMBERS, { key: tenant.orgKey, body }), "201 undefined")
        assert.strictEqual(yield* status, "invited")
        assert.strictEqual(yield* comes, "302")
        assert.strictEqual(yield* status, "joined")
      })
    )

    it.effect("whose part another key has changed lapses with that key", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { body, comes, status, tenant } = yield* invitation
        const { json } = yield* api.call("POST", KEYS, { key: tenant.orgKey, body: { name: "IT" } })
        const workspaces = [{ workspace_id: tenant.workspaceId, role: "viewer" }]
        const change = { key: String(json["key"]), body: { ...body, workspaces } }
        assert.strictEqual(yield* outcome("POST", MEMBERS, change), "201 undefined")
        assert.strictEqual(yield* outcome("DELETE", `${KEYS}/${json["id"]}`, { key: tenant.orgKey }), "200 undefined")
        assert.strictEqual(yield* status, "lapsed")
        assert.strictEqual(yield* comes, "403 not_invited")
      })
    )
  })
})

layer(layerApi, { excludeTestServices: true })("an admin", (it) => {
  const invite = (key: string, organization_role: string) =>
    outcome("POST", MEMBERS, { key, body: { email: `${organization_role}@example.com`, organization_role } })

  it.effect("makes organization keys that make admins, and none that makes owners", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { unsafe } = yield* aPerson(yield* api.tenant, "admin")
      const made = yield* api.call("POST", KEYS, { headers: unsafe, body: { name: "Deploys" } })
      const key = String(made.json["key"])
      const child = yield* api.call("POST", KEYS, { key, body: { name: "Child" } })
      for (const one of [key, String(child.json["key"])]) {
        assert.strictEqual(yield* invite(one, "owner"), "403 insufficient_scope")
        assert.strictEqual(yield* invite(one, "admin"), "201 undefined")
      }
    })
  )

  it.effect("gets no key that makes owners by rotating one, and takes nothing from one by changing it", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const { unsafe } = yield* aPerson(tenant, "admin")
      const made = yield* api.call("POST", KEYS, { key: tenant.orgKey, body: { name: "Owner's" } })
      const path = `${KEYS}/${made.json["id"]}`
      const renamed = { headers: unsafe, body: { name: "Renamed" } }
      assert.strictEqual(yield* outcome("PATCH", path, renamed), "200 undefined")
      assert.strictEqual(yield* invite(String(made.json["key"]), "owner"), "201 undefined")
      const rotated = yield* api.call("POST", `${path}/rotate`, { headers: unsafe, body: {} })
      const successor = String(rotated.json["new"]!["key"])
      assert.strictEqual(yield* invite(successor, "owner"), "403 insufficient_scope")
      assert.strictEqual(yield* invite(successor, "admin"), "201 undefined")
    })
  )

  it.effect("gets no key that makes owners by taking the bounds from one", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const [admin, owner] = [yield* aPerson(tenant, "admin"), yield* aPerson(tenant, "owner")]
      for (const [{ unsafe }, expected] of [
        [admin, "403 insufficient_scope"],
        [owner, "201 undefined"]
      ] as const) {
        const body = { name: "Bounded", expires_in_seconds: 3_600 }
        const made = yield* api.call("POST", KEYS, { key: tenant.orgKey, body })
        const unbind = { headers: unsafe, body: { expires_at: null } }
        assert.strictEqual(yield* outcome("PATCH", `${KEYS}/${made.json["id"]}`, unbind), "200 undefined")
        assert.strictEqual(yield* invite(String(made.json["key"]), "owner"), expected)
      }
    })
  )
})

layer(layerApi, { excludeTestServices: true })("an owner", (it) => {
  it.effect("makes and rotates organization keys that make owners", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const { unsafe } = yield* aPerson(tenant, "owner")
      const made = yield* api.call("POST", KEYS, { headers: unsafe, body: { name: "Deploys" } })
      const path = `${KEYS}/${made.json["id"]}/rotate`
      const rotated = yield* api.call("POST", path, { headers: unsafe, body: { grace_seconds: 0 } })
      const body = { email: "owner@example.com", organization_role: "owner" }
      const key = String(rotated.json["new"]!["key"])
      assert.strictEqual(yield* outcome("POST", MEMBERS, { key, body }), "201 undefined")
    })
  )
})
