/** Organization keys for the page that an owner or admin has open. docs/accounts.md, Webhook grants. */
import { OrganizationId, UnitOfWork } from "@agent-platform/kernel"
import { MemberStore } from "@agent-platform/keys"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authenticated, bodyFor, endpoints } from "./endpoints.ts"
import { openStream } from "./eventStream.ts"
import { aPerson, openSession, type PersonSession } from "./people.ts"
import { layer as layerApi, layerMemory, layerOver, type Tenant, TestApi } from "./support.ts"

const PATH = "/api/v1/org/webhook-grants"
const STREAM = "/api/v1/org/webhooks/stream"

const ask = (headers: Readonly<Record<string, string>>, body: unknown = {}) =>
  TestApi.use((api) => api.call("POST", PATH, { headers, body }))

/** The value of a new grant. */
const granted = Effect.fnUntraced(function* (person: PersonSession) {
  const { json, status, text } = yield* ask(person.unsafe)
  assert.strictEqual(status, 201, text)
  return { id: String(json["id"]), key: String(json["key"]), json }
})

const outcomeOf = ({ json, status }: { readonly status: number; readonly json: Record<string, unknown> }) =>
  `${status} ${json["code"]}`

layer(layerApi, { excludeTestServices: true })(`POST ${PATH}`, (it) => {
  const list = (key: string) => TestApi.use((api) => api.call("GET", "/api/v1/org/webhooks", { key }))

  it.effect("gives an owner and an admin a key that operates webhooks for 12 hours at most, value shown once", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      for (const role of ["owner", "admin"] as const) {
        const person = yield* aPerson(tenant, role)
        const before = Date.now()
        const headers = { ...person.unsafe, "idempotency-key": `${role}-1` }
        const { json, status } = yield* ask(headers)
        assert.strictEqual(status, 201)
        assert.deepInclude(json, {
          kind: "organization",
          workspace_id: null,
          session_id: person.session.id as never,
          status: "active",
          scopes: ["webhooks:read", "webhooks:write"]
        } as never)
        const seconds = (Date.parse(String(json["expires_at"])) - before) / 1_000
        assert.isTrue(seconds > 43_199 && seconds < 43_260, String(seconds))
        const key = String(json["key"])
        const endpoint = yield* api.call("POST", "/api/v1/org/webhooks", { key, body: { url: "https://example.com/" } })
        assert.strictEqual(endpoint.status, 201)
        const listed = yield* api.call("GET", "/api/v1/org/api-keys", { key: tenant.orgKey })
        assert.include(listed.text, String(json["id"]))
        assert.notInclude(listed.text, key)
        const again = yield* ask(headers)
        assert.deepStrictEqual(
          [again.status, again.json["id"], again.json["key"], again.headers.get("idempotency-replayed")],
          [201, json["id"], null as never, "true"]
        )
        const { text } = yield* api.call("GET", "/api/v1/activity?resource_type=api_key", {
          key: tenant.orgKey,
          headers: { "x-workspace-id": tenant.workspaceId }
        })
        assert.include(text, String(json["id"]))
      }
    })
  )

  it.effect(
    "refuses those who do not look after the organization, keys of every kind, and requests without a token",
    () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const owner = yield* aPerson(tenant, "owner")
        const { key } = yield* granted(owner)
        for (const role of ["member", "viewer"] as const) {
          const { unsafe } = yield* aPerson(tenant, role)
          assert.strictEqual(outcomeOf(yield* ask(unsafe)), "403 insufficient_scope", role)
        }
        for (const value of [tenant.workspaceKey, tenant.orgKey, key]) {
          assert.strictEqual(outcomeOf(yield* ask({ "x-api-key": value })), "403 insufficient_scope")
          // Beside a key the cookie is ignored.
          assert.strictEqual(outcomeOf(yield* ask({ ...owner.unsafe, "x-api-key": value })), "403 insufficient_scope")
        }
        assert.strictEqual(outcomeOf(yield* ask(owner.headers)), "403 csrf_failed")
        assert.strictEqual(outcomeOf(yield* ask({})), "401 missing_credential")
      })
  )

  it.effect("takes 1 second to 12 hours, and nothing else", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { unsafe } = yield* aPerson(yield* api.tenant, "owner")
      for (const expires_in_seconds of [0, 43_201, 1.5, "60"]) {
        assert.strictEqual(outcomeOf(yield* ask(unsafe, { expires_in_seconds })), "422 validation_failed")
      }
      assert.strictEqual(outcomeOf(yield* ask(unsafe, { scopes: ["org:admin"] })), "422 unknown_parameter")
      const { json } = yield* ask(unsafe, { expires_in_seconds: 60 })
      assert.isBelow(Date.parse(String(json["expires_at"])) - Date.now(), 60_001)
    })
  )

  it.effect("gives a key that reaches webhooks and what every credential reaches, and nothing else", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const { key } = yield* granted(yield* aPerson(tenant, "owner"))
      for (const endpoint of endpoints.filter(authenticated)) {
        const answer = yield* api.call(endpoint.method, endpoint.path, {
          ...bodyFor(endpoint),
          key,
          // The stream of events begins behind no event that there is not.
          headers: { "x-workspace-id": tenant.workspaceId, "last-event-id": "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77" }
        })
        const { access, id } = endpoint
        const isOpen =
          access?.scope?.startsWith("webhooks:") === true || (access?.scope === null && access.reach !== "session")
        assert.strictEqual(answer.status !== 403, isOpen, `${id} ${answer.status}`)
      }
    })
  )

  it.effect("gives a key that nobody changes or rotates, and that is revoked like every other", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const owner = yield* aPerson(tenant, "owner")
      const { id, key } = yield* granted(owner)
      const path = `/api/v1/org/api-keys/${id}`
      for (const headers of [owner.unsafe, { "x-api-key": tenant.orgKey }]) {
        for (const body of [
          { expires_at: null },
          { scopes: ["org:admin"] },
          { name: "Mine" },
          { status: "disabled" }
        ]) {
          assert.strictEqual(outcomeOf(yield* api.call("PATCH", path, { headers, body })), "422 validation_failed")
        }
        const rotated = yield* api.call("POST", `${path}/rotate`, { headers, body: { grace_seconds: 9 } })
        assert.strictEqual(outcomeOf(rotated), "422 validation_failed")
      }
      assert.strictEqual((yield* list(key)).status, 200)
      assert.strictEqual((yield* api.call("DELETE", path, { headers: owner.unsafe })).status, 200)
      assert.strictEqual(outcomeOf(yield* list(key)), "401 credential_revoked")
    })
  )

  it.effect("gives a key that ends, with its streams, when its session does, its membership or its role", () =>
    Effect.gen(function* () {
      const [api, members, unit] = [yield* TestApi, yield* MemberStore, yield* UnitOfWork]
      const organizationIdOf = (tenant: Tenant) => OrganizationId.make(tenant.organizationId)
      const ends: ReadonlyArray<(person: PersonSession, tenant: Tenant) => Effect.Effect<unknown, never, never>> = [
        ({ unsafe }) => api.call("POST", "/api/v1/auth/logout", { headers: unsafe }),
        (_, tenant) =>
          Effect.gen(function* () {
            const { json } = yield* api.call("GET", "/api/v1/org/members", { key: tenant.orgKey })
            const found = (json["items"] as never as ReadonlyArray<Record<string, unknown>>).find(
              (member) => member["organization_role"] === "admin"
            )
            const { status } = yield* api.call("DELETE", `/api/v1/org/members/${found?.["id"]}`, { key: tenant.orgKey })
            assert.strictEqual(status, 200)
          }),
        ({ member }) => unit.atomic(members.put({ ...member, organizationRole: null, workspaces: [] })),
        ({ member }, tenant) => unit.atomic(members.remove(organizationIdOf(tenant), member.id))
      ]
      for (const end of ends) {
        const tenant = yield* api.tenant
        const person = yield* aPerson(tenant, "admin")
        const other = yield* openSession(person.member, person.user)
        const [{ id, key }, unharmed] = [yield* granted(person), yield* granted(other)]
        const { next, response } = yield* openStream(STREAM, { key })
        assert.strictEqual(response.status, 200)
        yield* end(person, tenant)
        assert.strictEqual(outcomeOf(yield* list(key)), "401 credential_revoked")
        assert.isUndefined(yield* next)
        const { json } = yield* api.call("GET", "/api/v1/org/api-keys", { key: tenant.orgKey })
        const statuses = new Map(
          (json["items"] as never as ReadonlyArray<Record<string, unknown>>).map((one) => [one["id"], one["status"]])
        )
        assert.strictEqual(statuses.get(id), "revoked")
        // Another session of the same person ends only with the person's part.
        const isLogout = end === ends[0]
        assert.strictEqual((yield* list(unharmed.key)).status === 200, isLogout)
        assert.strictEqual(statuses.get(unharmed.id), isLogout ? "active" : "revoked")
      }
    }).pipe(Effect.scoped)
  )
})

layer(layerOver(layerMemory, { quotas: { temporary_keys: 2, api_keys: 3 } }), { excludeTestServices: true })(
  "webhook grants at their quota",
  (it) => {
    it.effect("are refused, while other keys are made, and made again once one is revoked", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const owner = yield* aPerson(tenant, "owner")
        const { id } = yield* granted(owner)
        yield* granted(owner)
        const refused = yield* ask(owner.unsafe)
        assert.strictEqual(outcomeOf(refused), "409 quota_exceeded")
        assert.include(String(refused.json["detail"]), "TEMPORARY_KEYS_MAX")
        const made = yield* api.call("POST", "/api/v1/org/api-keys", { headers: owner.unsafe, body: { name: "CI" } })
        assert.strictEqual(made.status, 201)
        yield* api.call("DELETE", `/api/v1/org/api-keys/${id}`, { headers: owner.unsafe })
        yield* granted(owner)
      })
    )
  }
)
