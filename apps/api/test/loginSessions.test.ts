/** People look after their sessions. Spec: OAuth. */

import { feedTables, MemoryDatabase } from "@agent-platform/kernel/memory"
import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { UNKNOWN_ID } from "./endpoints.ts"
import { aPerson, COOKIE, openSession, type PersonSession } from "./people.ts"
import { layer as layerApi, TestApi } from "./support.ts"

const ME = "/api/v1/auth/me"
const SESSIONS = "/api/v1/auth/sessions"

layer(layerApi, { excludeTestServices: true })("a session", (it) => {
  const me = (headers: Readonly<Record<string, string>>) => TestApi.use((api) => api.call("GET", ME, { headers }))

  const refusal = (headers: Readonly<Record<string, string>>) =>
    Effect.map(me(headers), ({ json, status }) => `${status} ${json["code"]}`)

  describe("GET /api/v1/auth/sessions", () => {
    it.effect("answers 200 with the person's own open sessions, page by page", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const first = yield* aPerson(tenant, "viewer")
        const second = yield* openSession(first.member, first.user, { userAgent: null, clientAddress: null })
        yield* openSession(first.member, first.user, { revokedAt: first.session.createdAt })
        yield* aPerson(tenant, "owner")
        const page = yield* api.call("GET", `${SESSIONS}?limit=1`, { headers: first.headers })
        assert.strictEqual(page.status, 200)
        const rest = yield* api.call("GET", `${SESSIONS}?limit=1&cursor=${page.json["next_cursor"]}`, {
          headers: first.headers
        })
        const { session } = first
        assert.deepStrictEqual([page.json["items"]![0], rest.json["items"]![0]] as unknown, [
          {
            id: second.session.id,
            organization_id: tenant.organizationId,
            provider: "google",
            created_at: DateTime.formatIso(second.session.createdAt),
            last_seen_at: DateTime.formatIso(second.session.lastSeenAt),
            expires_at: DateTime.formatIso(DateTime.add(second.session.lastSeenAt, { days: 7 })),
            user_agent: null,
            ip: null,
            current: false
          },
          {
            id: session.id,
            organization_id: tenant.organizationId,
            provider: "google",
            created_at: DateTime.formatIso(session.createdAt),
            last_seen_at: DateTime.formatIso(session.lastSeenAt),
            expires_at: DateTime.formatIso(DateTime.add(session.lastSeenAt, { days: 7 })),
            user_agent: "Mozilla/5.0",
            ip: "192.0.2.7",
            current: true
          }
        ])
        assert.isNull(rest.json["next_cursor"])
      })
    )

    it.effect("answers 403 to a key", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        for (const key of [tenant.workspaceKey, tenant.orgKey]) {
          const { json, status } = yield* api.call("GET", SESSIONS, { key })
          assert.strictEqual(`${status} ${json["code"]}`, "403 insufficient_scope")
        }
      })
    )
  })

  describe("DELETE /api/v1/auth/sessions/{session_id}", () => {
    const end = (by: PersonSession, id: string) =>
      TestApi.use((api) => api.call("DELETE", `${SESSIONS}/${id}`, { headers: by.unsafe }))

    it.effect("answers 200, again the same, and the session is refused from its next request on", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const here = yield* aPerson(yield* api.tenant, "viewer")
        const there = yield* openSession(here.member, here.user)
        const first = yield* end(here, there.session.id)
        assert.strictEqual(first.status, 200)
        assert.strictEqual(String(first.json["status"]), "revoked")
        assert.strictEqual(yield* refusal(there.headers), "401 credential_revoked")
        assert.strictEqual((yield* end(here, there.session.id)).text, first.text)
        assert.strictEqual((yield* me(here.headers)).status, 200)
        const { activity } = feedTables(yield* MemoryDatabase)
        const entries = (yield* activity.all).filter((entry) => entry.resourceId === there.session.id)
        assert.deepStrictEqual(
          entries.map(({ action, actor }) => [action, actor.id]),
          [["session.revoked", here.user.id]]
        )
      })
    )

    it.effect("answers 404 to somebody else's session as to an unknown or malformed id", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const [person, colleague] = [yield* aPerson(tenant, "owner"), yield* aPerson(tenant, "viewer")]
        for (const id of [colleague.session.id, UNKNOWN_ID, "nonsense"]) {
          const { json, status } = yield* end(person, id)
          assert.strictEqual(`${status} ${json["code"]}`, "404 not_found")
        }
        assert.strictEqual((yield* me(colleague.headers)).status, 200)
      })
    )
  })

  describe("POST /api/v1/auth/logout", () => {
    it.effect("answers 204, takes the cookie away, and the session is refused from its next request on", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { headers, unsafe } = yield* aPerson(yield* api.tenant, "viewer")
        const answer = yield* api.call("POST", "/api/v1/auth/logout", { headers: unsafe })
        assert.strictEqual(answer.status, 204)
        assert.strictEqual(answer.text, "")
        const [cookie = ""] = answer.headers.getSetCookie()
        assert.match(cookie, new RegExp(`^${COOKIE}=; Max-Age=0; Path=/; .*HttpOnly`))
        assert.include(cookie, "Secure")
        assert.strictEqual(yield* refusal(headers), "401 credential_revoked")
      })
    )

    it.effect("answers 403 without the token, and the session goes on", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { headers } = yield* aPerson(yield* api.tenant, "viewer")
        const { json, status } = yield* api.call("POST", "/api/v1/auth/logout", { headers })
        assert.strictEqual(`${status} ${json["code"]}`, "403 csrf_failed")
        assert.strictEqual((yield* me(headers)).status, 200)
      })
    )
  })
})
