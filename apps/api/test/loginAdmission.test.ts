/** Whom a login lets in, and where. Spec: OAuth. */

import { WorkspaceId } from "@agent-platform/kernel"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { aBrowser, invite, layer as layerApi, logIn, nextPerson, Providers, whoIs } from "./loginSupport.ts"
import { COOKIE } from "./people.ts"
import { BASE_URL, type Tenant, TestApi } from "./support.ts"

layer(layerApi, { excludeTestServices: true })("a login", (it) => {
  it.effect("takes an invitation up whatever the case in which the provider writes the address", () =>
    Effect.gen(function* () {
      const providers = yield* Providers
      const api = yield* TestApi
      const person = yield* nextPerson("google")
      yield* invite(yield* api.tenant, person.email)
      providers.google.behaviour.person = { ...person, email: person.email.toUpperCase() }
      assert.strictEqual((yield* logIn(yield* aBrowser, "google")).status, 302)
    })
  )

  it.effect("goes to the organization that was asked for, or else to the one joined first, and to no foreign one", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const [first, second, foreign] = [yield* api.tenant, yield* api.tenant, yield* api.tenant]
      const person = yield* nextPerson("google")
      const organizationOf = (query: string) =>
        Effect.gen(function* () {
          const browser = yield* aBrowser
          const { code, status } = yield* logIn(browser, "google", query)
          if (status !== 302) return `${status} ${code}`
          return String((yield* whoIs(browser)).json["organization"]!["id"])
        })
      const asking = ({ organizationId }: Tenant) => `?organization_id=${organizationId}`
      yield* invite(first, person.email)
      assert.strictEqual(yield* organizationOf(""), first.organizationId)
      // An invitation that came later is taken up by the next login.
      yield* invite(second, person.email)
      assert.strictEqual(yield* organizationOf(asking(second)), second.organizationId)
      assert.strictEqual(yield* organizationOf(""), first.organizationId)
      assert.strictEqual(yield* organizationOf(asking(foreign)), "403 not_invited")
    })
  )

  it.effect("of somebody new whom several have invited goes to none of them before one is named", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const [stranger, wanted] = [yield* api.tenant, yield* api.tenant]
      const person = yield* nextPerson("google")
      yield* invite(stranger, person.email)
      yield* invite(wanted, person.email)
      const undecided = yield* logIn(yield* aBrowser, "google")
      assert.strictEqual(`${undecided.status} ${undecided.code}`, "403 not_invited")
      const browser = yield* aBrowser
      assert.strictEqual((yield* logIn(browser, "google", `?organization_id=${wanted.organizationId}`)).status, 302)
      assert.strictEqual(String((yield* whoIs(browser)).json["organization"]!["id"]), wanted.organizationId)
    })
  )

  it.effect("of a person who was invited to one workspace of two reaches that one alone", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const other = yield* api.call("POST", "/api/v1/org/workspaces", { key: tenant.orgKey, body: { name: "Other" } })
      const person = yield* nextPerson("github")
      yield* invite(tenant, person.email, {
        organizationRole: null,
        workspaces: [{ workspaceId: WorkspaceId.make(tenant.workspaceId), role: "viewer" }]
      })
      const browser = yield* aBrowser
      assert.strictEqual((yield* logIn(browser, "github")).status, 302)
      const cookie = `${COOKIE}=${browser.jar(BASE_URL).get(COOKIE)}`
      const list = (path: string, workspace: string) =>
        api.call("GET", path, { headers: { cookie, "x-workspace-id": workspace } })
      assert.strictEqual((yield* list("/api/v1/agents", tenant.workspaceId)).status, 200)
      const hidden = yield* list("/api/v1/agents", String(other.json["id"]))
      assert.strictEqual(hidden.status, 404)
      assert.strictEqual((yield* list("/api/v1/org/workspaces", tenant.workspaceId)).status, 403)
    })
  )
})
