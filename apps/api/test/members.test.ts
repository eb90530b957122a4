import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { aPerson } from "./people.ts"
import { type Json, layer as layerApi, type Tenant, TestApi } from "./support.ts"

const MEMBERS = "/api/v1/org/members"
const UNKNOWN_ID = "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77"

const itemsOf = (json: Json) => json["items"] as unknown as ReadonlyArray<Json>
const pointersOf = (json: Json) =>
  (json["errors"] as unknown as ReadonlyArray<{ pointer: string }>).map(({ pointer }) => pointer)

layer(layerApi, { excludeTestServices: true })("members", (it) => {
  const invite = ({ orgKey }: Pick<Tenant, "orgKey">, body: unknown, headers: Record<string, string> = {}) =>
    TestApi.use((api) => api.call("POST", MEMBERS, { key: orgKey, headers, body }))

  describe("POST /api/v1/org/members", () => {
    it.effect("answers 201 with the invitation, under the address in lower case", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const workspaces = [{ workspace_id: tenant.workspaceId, role: "viewer" }]
        const { json, status } = yield* invite(tenant, { email: " Ada@Example.com ", workspaces })
        assert.strictEqual(status, 201)
        const { id, invited_at, invited_by, ...rest } = json as unknown as Record<string, unknown>
        assert.match(`${id} ${invited_at}`, /^[0-9a-f-]{36} \S+Z$/)
        assert.strictEqual((invited_by as { type: string }).type, "user")
        assert.deepStrictEqual(rest, {
          email: "ada@example.com",
          organization_role: null,
          workspaces,
          status: "invited",
          user: null,
          joined_at: null
        })
      })
    )

    it.effect("gives the member of an address another part, from its next request on", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { headers, member } = yield* aPerson(tenant, "member")
        const runs = () =>
          Effect.map(
            api.call("GET", "/api/v1/agents", { headers: { ...headers, "x-workspace-id": tenant.workspaceId } }),
            ({ status }) => status
          )
        const role = Effect.map(
          api.call("GET", "/api/v1/auth/me", { headers: { ...headers, "x-workspace-id": tenant.workspaceId } }),
          ({ json }) => String(json["user"]?.["role"])
        )
        assert.strictEqual(yield* role, "member")
        const changed = yield* invite(tenant, { email: member.email.toUpperCase(), organization_role: "admin" })
        assert.strictEqual(
          `${changed.status} ${changed.json["id"]} ${changed.json["status"]}`,
          `201 ${member.id} joined`
        )
        assert.strictEqual(yield* role, "admin")
        assert.strictEqual(yield* runs(), 200)
      })
    )

    it.effect("answers a repetition under its Idempotency-Key with the member as it is by now", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const body = { email: "ada@example.com", organization_role: "admin" }
        yield* invite(tenant, body, { "idempotency-key": "k" })
        const changed = yield* invite(tenant, { ...body, organization_role: "owner" })
        const again = yield* invite(tenant, body, { "idempotency-key": "k" })
        assert.strictEqual(`${again.status} ${again.headers.get("idempotency-replayed")}`, "201 true")
        assert.strictEqual(again.text, changed.text)
        const other = yield* invite(tenant, { ...body, email: "bob@example.com" }, { "idempotency-key": "k" })
        assert.strictEqual(`${other.status} ${other.json["code"]}`, "422 idempotency_key_reused")
      })
    )

    it.effect("answers 403 to an admin who makes an owner or changes one, and serves an owner", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const [owner, admin] = [yield* aPerson(tenant, "owner"), yield* aPerson(tenant, "admin")]
        const attempt = (headers: Record<string, string>, email: string, organization_role: string) =>
          Effect.map(
            api.call("POST", MEMBERS, { headers, body: { email, organization_role } }),
            ({ json, status }) => `${status} ${json["code"]}`
          )
        const fresh = "bob@example.com"
        assert.strictEqual(yield* attempt(admin.unsafe, fresh, "owner"), "403 insufficient_scope")
        assert.strictEqual(yield* attempt(admin.unsafe, owner.member.email, "admin"), "403 insufficient_scope")
        assert.strictEqual(yield* attempt(admin.unsafe, fresh, "admin"), "201 undefined")
        assert.strictEqual(yield* attempt(owner.unsafe, fresh, "owner"), "201 undefined")
      })
    )

    it.effect("answers 403 to a key with a bound that makes an owner, and serves one without", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const expiresAt = DateTime.add(yield* DateTime.now, { minutes: 1 })
        const bounded = [
          yield* api.keyWith(tenant, { organization: true, scopes: ["org:admin"] }),
          yield* api.keyWith(tenant, { organization: true, expiresAt }),
          yield* api.keyWith(tenant, { organization: true, allowedIps: ["127.0.0.0/8"] })
        ]
        const body = { email: "eve@example.com", organization_role: "owner" }
        for (const key of bounded) {
          const { json, status } = yield* api.call("POST", MEMBERS, { key, body })
          assert.strictEqual(`${status} ${json["code"]}`, "403 insufficient_scope")
        }
        assert.strictEqual((yield* api.call("POST", MEMBERS, { key: tenant.orgKey, body })).status, 201)
      })
    )

    it.effect("answers 404 to foreign workspaces exactly as to unknown and to malformed ids, and invites nobody", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const [mine, foreign] = [yield* api.tenant, yield* api.tenant]
        const own = { workspace_id: mine.workspaceId, role: "member" }
        const answers = yield* Effect.forEach([foreign.workspaceId, UNKNOWN_ID, "nonsense"], (workspace_id) =>
          invite(mine, { email: "ada@example.com", workspaces: [own, { workspace_id, role: "member" }] })
        )
        assert.deepStrictEqual(
          answers.map(({ json, status }) => `${status} ${json["code"]} ${json["detail"]}`),
          Array.from(
            answers,
            () =>
              "404 not_found There is no such resource: /workspaces must name workspaces that you can see, by their ids"
          )
        )
        assert.isEmpty(itemsOf((yield* api.call("GET", MEMBERS, { key: mine.orgKey })).json))
      })
    )

    it.effect("answers 422 to what is no address, no role and no part, and to the last owner's demotion", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { member } = yield* aPerson(tenant, "owner")
        const grant = { workspace_id: tenant.workspaceId, role: "viewer" }
        for (const [body, pointers] of [
          [{ organization_role: "admin" }, ["/email"]],
          [{ email: "ada", organization_role: "admin" }, ["/email"]],
          [{ email: `${"a".repeat(250)}@example.com`, organization_role: "admin" }, ["/email"]],
          [{ email: "ada@example.com", organization_role: "member" }, ["/organization_role"]],
          [{ email: "ada@example.com" }, ["/organization_role"]],
          [{ email: "ada@example.com", workspaces: [grant, grant] }, ["/workspaces"]],
          [{ email: "ada@example.com", workspaces: [{ ...grant, role: "owner" }] }, ["/workspaces/0/role"]],
          [{ email: "ada@example.com", workspaces: [{ ...grant, rôle: "" }] }, ["/workspaces/0/rôle"]],
          [{ email: member.email, organization_role: "admin" }, ["/organization_role"]]
        ] as const) {
          const { json, status, text } = yield* invite(tenant, body)
          assert.strictEqual(status, 422, text)
          assert.deepStrictEqual(pointersOf(json), [...pointers])
        }
      })
    )
  })

  describe("GET /api/v1/org/members", () => {
    it.effect("answers 200 with the organization's members, newest first, page by page", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const [tenant, foreign] = [yield* api.tenant, yield* api.tenant]
        const { member, user } = yield* aPerson(tenant, "owner")
        yield* invite(foreign, { email: "ada@example.com", organization_role: "admin" })
        const invited = yield* invite(tenant, { email: "ada@example.com", organization_role: "admin" })
        const first = yield* api.call("GET", `${MEMBERS}?limit=1`, { key: tenant.orgKey })
        assert.strictEqual(first.status, 200)
        const next = `${MEMBERS}?limit=1&cursor=${first.json["next_cursor"]}`
        const rest = yield* api.call("GET", next, { key: tenant.orgKey })
        const members = [...itemsOf(first.json), ...itemsOf(rest.json)]
        assert.deepStrictEqual(
          members.map((item) => String(item["id"])),
          [String(invited.json["id"]), member.id]
        )
        assert.deepStrictEqual<unknown>(members[1]!["user"], { id: user.id, name: user.name })
        assert.isNull(rest.json["next_cursor"])
      })
    )
  })

  describe("DELETE /api/v1/org/members/{member_id}", () => {
    const remove = (tenant: Tenant, id: string, headers: Record<string, string> = {}) =>
      TestApi.use((api) =>
        api.call("DELETE", `${MEMBERS}/${id}`, "cookie" in headers ? { headers } : { key: tenant.orgKey, headers })
      )

    it.effect("answers 200, and the member's session is refused from its next request on", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { headers, member } = yield* aPerson(tenant, "admin")
        assert.strictEqual((yield* api.call("GET", MEMBERS, { headers })).status, 200)
        const { json, status } = yield* remove(tenant, member.id)
        assert.strictEqual(status, 200)
        assert.deepStrictEqual<unknown>(json, { id: member.id, email: member.email, status: "removed" })
        assert.strictEqual((yield* api.call("GET", MEMBERS, { headers })).status, 401)
        assert.strictEqual((yield* remove(tenant, member.id)).status, 404)
      })
    )

    it.effect("answers 403 to an admin who removes an owner, and 422 to the last owner's removal", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const [owner, admin] = [yield* aPerson(tenant, "owner"), yield* aPerson(tenant, "admin")]
        const forbidden = yield* remove(tenant, owner.member.id, admin.unsafe)
        assert.strictEqual(`${forbidden.status} ${forbidden.json["code"]}`, "403 insufficient_scope")
        const last = yield* remove(tenant, owner.member.id)
        assert.strictEqual(`${last.status} ${last.json["code"]}`, "422 validation_failed")
        yield* aPerson(tenant, "owner")
        assert.strictEqual((yield* remove(tenant, owner.member.id)).status, 200)
      })
    )

    it.effect("answers 404 to a foreign member exactly as to an unknown and to a malformed id", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const [mine, foreign] = [yield* api.tenant, yield* api.tenant]
        const { member } = yield* aPerson(foreign, "admin")
        const answers = yield* Effect.forEach([member.id, UNKNOWN_ID, "nonsense"], (id) => remove(mine, id))
        assert.deepStrictEqual(
          answers.map(({ json, status }) => `${status} ${json["code"]} ${json["detail"]}`),
          Array.from(answers, () => "404 not_found There is no such resource")
        )
      })
    )
  })
})
