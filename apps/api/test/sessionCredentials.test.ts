/** How people are recognised by their session. Spec: OAuth. */

import { OrganizationId, UnitOfWork } from "@agent-platform/kernel"
import { MemberStore } from "@agent-platform/keys"
import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { aPerson, COOKIE, openSession, type PersonSession } from "./people.ts"
import { layer as layerApi, type Tenant, TestApi } from "./support.ts"

const ME = "/api/v1/auth/me"
const KEYS = "/api/v1/auth/api-keys"

layer(layerApi, { excludeTestServices: true })("a session", (it) => {
  const me = (headers: Readonly<Record<string, string>>) => TestApi.use((api) => api.call("GET", ME, { headers }))

  /** A session that has an age. */
  const aged = (tenant: Tenant, ages: { readonly created: number; readonly seen: number }) =>
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const createdAt = DateTime.subtract(now, { seconds: ages.created })
      const session = {
        createdAt,
        lastSeenAt: DateTime.subtract(now, { seconds: ages.seen }),
        expiresAt: DateTime.add(createdAt, { days: 30 })
      }
      return yield* aPerson(tenant, "owner", { session })
    })

  const refusal = (headers: Readonly<Record<string, string>>) =>
    Effect.map(me(headers), ({ json, status }) => `${status} ${json["code"]}`)

  describe("GET /api/v1/auth/me", () => {
    it.effect("answers who the person is, their role, and the token for unsafe requests", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { headers, session, user } = yield* aPerson(tenant, "admin")
        const { json, status } = yield* me({ ...headers, "x-workspace-id": tenant.workspaceId })
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(json["user"] as unknown, {
          id: user.id,
          email: user.email,
          name: user.name,
          role: "admin"
        })
        assert.strictEqual(String(json["auth"]!["method"]), "oauth_session")
        assert.strictEqual(String(json["auth"]!["provider"]), "google")
        assert.isNull(json["auth"]!["key_id"])
        assert.strictEqual(String(json["workspace"]!["id"]), tenant.workspaceId)
        assert.strictEqual(String(json["organization"]!["id"]), tenant.organizationId)
        assert.match(String(json["csrf_token"]), /^[\w-]{43}$/)
        const idleEnd = DateTime.formatIso(DateTime.add(session.lastSeenAt, { days: 7 }))
        assert.strictEqual(String(json["auth"]!["expires_at"]), idleEnd)
      })
    )

    it.effect("gives each session a token of its own, which reveals nothing of the cookie", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const one = yield* aPerson(yield* api.tenant, "owner")
        const two = yield* openSession(one.member, one.user)
        assert.notStrictEqual(one.unsafe["x-csrf-token"], two.unsafe["x-csrf-token"])
        assert.notInclude(one.unsafe["x-csrf-token"], one.secret)
      })
    )

    it.effect("knows no role and no scope of a member without a workspace", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { headers } = yield* aPerson(yield* api.tenant, "member")
        const { json } = yield* me(headers)
        assert.isNull(json["user"]!["role"])
        assert.deepStrictEqual(json["auth"]!["scopes"] as unknown, [])
      })
    )
  })

  describe("is refused", () => {
    it.effect("after seven days without use, and thirty days whatever its use", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const day = 86_400
        const seen = (created: number, last: number) =>
          Effect.flatMap(aged(tenant, { created, seen: last }), ({ headers }) => me(headers))
        assert.strictEqual((yield* seen(8 * day, 7 * day - 60)).status, 200)
        assert.strictEqual((yield* seen(30 * day - 60, 60)).status, 200)
        for (const { json, status } of [yield* seen(8 * day, 7 * day + 1), yield* seen(30 * day + 1, 60)]) {
          assert.strictEqual(`${status} ${json["code"]}`, "401 credential_expired")
        }
      })
    )

    it.effect("on the very next request after the person was removed", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const [members, unit] = [yield* MemberStore, yield* UnitOfWork]
        const { headers, member } = yield* aPerson(yield* api.tenant, "owner")
        assert.strictEqual((yield* me(headers)).status, 200)
        yield* unit.atomic(members.remove(OrganizationId.make(member.organizationId), member.id))
        assert.strictEqual(yield* refusal(headers), "401 invalid_credential")
      })
    )

    it.effect("when its cookie is invented, damaged, or comes in several", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { secret } = yield* aPerson(tenant, "owner")
        const other = yield* aPerson(tenant, "owner")
        const cookie = (value: string) => ({ cookie: `${COOKIE}=${value}` })
        assert.strictEqual(yield* refusal(cookie("A".repeat(43))), "401 invalid_credential")
        const bad = [
          secret.slice(1),
          `${secret}A`,
          `"${secret}"`,
          secret.replace(/.$/, "B"),
          "%00",
          "é",
          secret.repeat(9)
        ]
        for (const value of bad) {
          assert.strictEqual(yield* refusal(cookie(value)), "401 malformed_credential", value)
        }
        const both = cookie(`${secret}; ${COOKIE}=${other.secret}`)
        assert.strictEqual(yield* refusal(both), "400 conflicting_credentials")
        assert.strictEqual((yield* me(cookie(`${secret}; ${COOKIE}=${secret}; other=x`))).status, 200)
        for (const absent of ["", `; X${COOKIE}=${secret}`]) {
          assert.strictEqual(yield* refusal(cookie(absent)), "401 missing_credential")
        }
      })
    )
  })

  describe("beside an API key", () => {
    it.effect("is ignored, even where the key is bad", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { headers } = yield* aPerson(tenant, "owner")
        const good = yield* api.call("GET", ME, { key: tenant.workspaceKey, headers })
        assert.strictEqual(String(good.json["auth"]!["method"]), "api_key")
        assert.isNull(good.json["csrf_token"])
        const bad = yield* api.call("GET", ME, { key: "apk_ws_nonsense", headers })
        assert.strictEqual(String(bad.json["code"]), "malformed_credential")
        const unsafe = yield* api.call("POST", KEYS, { key: tenant.workspaceKey, headers, body: { name: "x" } })
        assert.strictEqual(unsafe.status, 201)
      })
    )
  })

  describe("an unsafe request", () => {
    const post = (person: PersonSession, tenant: Tenant, token: string | undefined, raw = '{"name": "x"}') =>
      TestApi.use((api) =>
        api.call("POST", KEYS, {
          headers: {
            ...person.headers,
            "x-workspace-id": tenant.workspaceId,
            ...(token === undefined ? {} : { "x-csrf-token": token })
          },
          raw
        })
      )

    it.effect("takes the session's own token, and is 403 without it, before its body is looked at", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const [person, other] = [yield* aPerson(tenant, "owner"), yield* aPerson(tenant, "owner")]
        const own = String(person.unsafe["x-csrf-token"])
        const foreign = String(other.unsafe["x-csrf-token"])
        for (const token of [undefined, "", " ", foreign, own.slice(1), `${own}A`, own.toLowerCase(), person.secret]) {
          for (const raw of ['{"name": "x"}', "{", ""]) {
            const { json, status } = yield* post(person, tenant, token, raw)
            assert.strictEqual(`${status} ${json["code"]}`, "403 csrf_failed", token)
          }
        }
        assert.strictEqual((yield* post(person, tenant, own)).status, 201)
      })
    )

    it.effect("is made in the person's name", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const person = yield* aPerson(tenant, "owner")
        const { json } = yield* post(person, tenant, person.unsafe["x-csrf-token"])
        assert.deepStrictEqual(json["created_by"] as unknown, {
          type: "user",
          id: person.user.id,
          label: person.user.name
        })
      })
    )
  })
})
