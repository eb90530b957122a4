/** Logging in through an identity provider. Spec: OAuth. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  aBrowser,
  activityOf,
  begin,
  comeBack,
  DASHBOARD_URL,
  everythingKept,
  invite,
  layer as layerApi,
  logIn,
  nextPerson,
  Providers,
  visit,
  whoIs
} from "./loginSupport.ts"
import { COOKIE } from "./people.ts"
import { BASE_URL, TestApi } from "./support.ts"

const HOUR_SECONDS = 3_600
const LOGIN_COOKIE = "__Host-agent-platform-login"

layer(layerApi, { excludeTestServices: true })("a login", (it) => {
  it.effect("is offered without a credential, by the providers that are configured", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { json, status } = yield* api.call("GET", "/api/v1/auth/oauth/providers")
      assert.strictEqual(status, 200)
      const offered = (provider: string) => ({ provider, login_url: `${BASE_URL}/api/v1/auth/oauth/${provider}/login` })
      assert.deepStrictEqual<unknown>(json["items"], [offered("google"), offered("github")])
    })
  )

  for (const provider of ["google", "github"] as const) {
    describe(`through ${provider}`, () => {
      it.effect("lets an invited person in, once the provider has vouched for the address", () =>
        Effect.gen(function* () {
          const api = yield* TestApi
          const tenant = yield* api.tenant
          const person = yield* nextPerson(provider)
          yield* invite(tenant, person.email, { organizationRole: "admin" })
          const browser = yield* aBrowser
          const callback = yield* comeBack(browser, provider, "?return_to=/runs%3Fpage%3D2")
          const { cookies, location, status } = yield* visit(browser, callback)
          assert.strictEqual(status, 302)
          assert.strictEqual(location, `${DASHBOARD_URL}/runs?page=2`)
          const [session = ""] = cookies.filter((cookie) => cookie.startsWith(`${COOKIE}=`))
          const attributes = session.split("; ").slice(1)
          const maxAge = `Max-Age=${30 * 24 * HOUR_SECONDS}`
          assert.sameMembers(attributes, [maxAge, "Path=/", "HttpOnly", "Secure", "SameSite=Lax"])
          assert.match(cookies.find((cookie) => cookie.startsWith(LOGIN_COOKIE)) ?? "", /=; Max-Age=0; Path=/)
          const me = yield* whoIs(browser, { "x-workspace-id": tenant.workspaceId })
          assert.strictEqual(me.status, 200)
          assert.strictEqual(String(me.json["user"]!["email"]), person.email)
          assert.strictEqual(String(me.json["user"]!["role"]), "admin")
          assert.strictEqual(String(me.json["auth"]!["provider"]), provider)
          const acts = (yield* activityOf(tenant)).filter(({ actor }) => actor.label === person.name)
          assert.deepStrictEqual(
            acts.map(({ action }) => action),
            ["member.joined", "session.created"]
          )
        })
      )

      it.effect("keeps who a person is by the subject, whatever becomes of the address", () =>
        Effect.gen(function* () {
          const providers = yield* Providers
          const api = yield* TestApi
          const tenant = yield* api.tenant
          const person = yield* nextPerson(provider)
          yield* invite(tenant, person.email)
          yield* logIn(yield* aBrowser, provider)
          providers[provider].behaviour.person = { ...person, email: "new@example.com", verified: false }
          const browser = yield* aBrowser
          assert.strictEqual((yield* logIn(browser, provider)).status, 302)
          // An address that nobody vouches for does not take the place of one that somebody did.
          assert.strictEqual(String((yield* whoIs(browser)).json["user"]!["email"]), person.email)
        })
      )

      it.effect("refuses a person whom nobody has invited, and keeps nothing of them", () =>
        Effect.gen(function* () {
          const person = yield* nextPerson(provider)
          const browser = yield* aBrowser
          const { code, cookies, status } = yield* logIn(browser, provider)
          assert.strictEqual(`${status} ${code}`, "403 not_invited")
          assert.notInclude(cookies.join(), COOKIE)
          assert.notInclude(yield* everythingKept, person.email)
        })
      )

      it.effect("refuses an invited address that the provider does not vouch for", () =>
        Effect.gen(function* () {
          const api = yield* TestApi
          const tenant = yield* api.tenant
          const person = yield* nextPerson(provider, { verified: false })
          yield* invite(tenant, person.email)
          const { code, status } = yield* logIn(yield* aBrowser, provider)
          assert.strictEqual(`${status} ${code}`, "403 not_invited")
        })
      )

      it.effect("leads back to where it began when the person breaks it off", () =>
        Effect.gen(function* () {
          const providers = yield* Providers
          const browser = yield* aBrowser
          yield* nextPerson(provider)
          providers[provider].behaviour.declines = true
          const { cookies, location, status } = yield* logIn(browser, provider, "?return_to=/a?b=c")
          providers[provider].behaviour.declines = false
          assert.strictEqual(status, 302)
          assert.strictEqual(location, `${DASHBOARD_URL}/a?b=c&login_error=access_denied`)
          assert.notInclude(cookies.join(), COOKIE)
        })
      )
    })
  }

  it.effect("leaves nothing in the store from which state, nonce, verifier or cookie could be made", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const person = yield* nextPerson("google")
      yield* invite(tenant, person.email)
      const browser = yield* aBrowser
      const { location = "" } = yield* begin(browser, "google")
      const query = new URL(location).searchParams
      const during = yield* everythingKept
      const secret = browser.jar(BASE_URL).get(LOGIN_COOKIE) ?? ""
      assert.match(secret, /^[\w-]{43}$/)
      for (const value of [secret, query.get("state"), query.get("nonce"), query.get("code_challenge")]) {
        assert.notInclude(during, String(value))
        assert.notInclude(location, secret)
      }
      yield* logIn(browser, "google")
      assert.notInclude(yield* everythingKept, browser.jar(BASE_URL).get(COOKIE) ?? "")
    })
  )

  it.effect("gives the browser a cookie that no other host can plant, for ten minutes", () =>
    Effect.gen(function* () {
      const { cookies, status } = yield* begin(yield* aBrowser, "google")
      assert.strictEqual(status, 302)
      assert.sameMembers((cookies[0] ?? "").split("; ").slice(1), [
        "Max-Age=600",
        "Path=/",
        "HttpOnly",
        "Secure",
        "SameSite=Lax"
      ])
    })
  )

  it.effect("is 422 where it would lead elsewhere or to what is no organization", () =>
    Effect.gen(function* () {
      const browser = yield* aBrowser
      for (const query of ["?return_to=//evil.test", "?return_to=https%3A%2F%2Fevil.test", "?organization_id=x"]) {
        const { code, cookies, status } = yield* begin(browser, "google", query)
        assert.strictEqual(`${status} ${code}`, "422 validation_failed", query)
        assert.isEmpty(cookies)
      }
    })
  )

  it.effect("is 404 through a provider that is not configured", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      for (const provider of ["gitlab", "Google", "__proto__", "%00"]) {
        for (const step of ["login", "callback?state=x&code=y"]) {
          const { json, status } = yield* api.call("GET", `/api/v1/auth/oauth/${provider}/${step}`)
          assert.strictEqual(`${status} ${json["code"]}`, "404 not_found")
        }
      }
    })
  )

  it.effect("is 503 while the provider does not answer as it should", () =>
    Effect.gen(function* () {
      const providers = yield* Providers
      const browser = yield* aBrowser
      yield* nextPerson("github")
      const callback = yield* comeBack(browser, "github")
      providers.github.behaviour.failures = 1
      const { code, status } = yield* visit(browser, callback)
      assert.strictEqual(`${status} ${code}`, "503 unavailable")
    })
  )
})
