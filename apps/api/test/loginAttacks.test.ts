/** Logins that are not what they seem. Spec: OAuth. */

import { createHash } from "node:crypto"
import { UnitOfWork } from "@agent-platform/kernel"
import { LoginStore } from "@agent-platform/keys"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import type { Browser } from "../../../packages/oauth/test/support/Browser.ts"
import {
  aBrowser,
  comeBack,
  invite,
  layer as layerApi,
  logIn,
  nextPerson,
  type ProviderName,
  Providers,
  visit,
  whoIs
} from "./loginSupport.ts"
import { COOKIE } from "./people.ts"
import { BASE_URL, TestApi } from "./support.ts"

const LOGIN_COOKIE = "__Host-agent-platform-login"

layer(layerApi, { excludeTestServices: true })("a login", (it) => {
  /** Somebody invited who has logged in at the provider, just before they are back. */
  const onTheWay = Effect.fnUntraced(function* (provider: ProviderName = "google", query = "") {
    const api = yield* TestApi
    const tenant = yield* api.tenant
    const person = yield* nextPerson(provider)
    yield* invite(tenant, person.email)
    const browser = yield* aBrowser
    const callback = yield* comeBack(browser, provider, query)
    return { browser, callback, person, tenant }
  })

  const outcome = (browser: Browser, address: string) =>
    Effect.map(visit(browser, address), ({ code, cookies, status }) => {
      if (status !== 302) assert.notInclude(cookies.join(), COOKIE)
      return `${status} ${code}`
    })

  const REFUSED = "400 oauth_state_invalid"
  const ADMITTED = "302 undefined"

  it.effect("is refused in a browser that has not begun it", () =>
    Effect.gen(function* () {
      const { browser, callback } = yield* onTheWay()
      assert.strictEqual(yield* outcome(yield* aBrowser, callback), REFUSED)
      // Nobody else can use it up either.
      assert.strictEqual(yield* outcome(browser, callback), ADMITTED)
    })
  )

  // Login CSRF: the victim would work in the attacker's account without noticing.
  it.effect("of an attacker is refused in the browser of somebody who has begun one, whose own goes on", () =>
    Effect.gen(function* () {
      const victim = yield* onTheWay()
      const attacker = yield* onTheWay()
      assert.strictEqual(yield* outcome(victim.browser, attacker.callback), REFUSED)
      assert.strictEqual((yield* whoIs(victim.browser)).status, 401)
      assert.strictEqual(yield* outcome(victim.browser, victim.callback), ADMITTED)
      assert.strictEqual(String((yield* whoIs(victim.browser)).json["user"]!["email"]), victim.person.email)
    })
  )

  it.effect("is refused with another state, none, or two", () =>
    Effect.gen(function* () {
      const { browser, callback } = yield* onTheWay()
      const altered = (change: (query: URLSearchParams) => void) => {
        const url = new URL(callback)
        change(url.searchParams)
        return url.href
      }
      const state = new URL(callback).searchParams.get("state") ?? ""
      const attempts = [
        altered((query) => query.set("state", "another")),
        altered((query) => query.set("state", `${state}A`)),
        altered((query) => query.set("state", "")),
        altered((query) => query.delete("state")),
        altered((query) => query.append("state", state))
      ]
      for (const attempt of attempts) assert.strictEqual(yield* outcome(browser, attempt), REFUSED)
      assert.strictEqual(yield* outcome(browser, callback), ADMITTED)
    })
  )

  it.effect("is refused with a damaged or a doubled cookie", () =>
    Effect.gen(function* () {
      const { browser, callback } = yield* onTheWay()
      const jar = browser.jar(BASE_URL)
      const secret = jar.get(LOGIN_COOKIE) ?? ""
      for (const value of ["x", secret.slice(1), `${secret}A`, "A".repeat(43), `${secret}; ${LOGIN_COOKIE}=x`]) {
        jar.set(LOGIN_COOKIE, value)
        assert.strictEqual(yield* outcome(browser, callback), REFUSED)
      }
      jar.set(LOGIN_COOKIE, secret)
      assert.strictEqual(yield* outcome(browser, callback), ADMITTED)
    })
  )

  it.effect("is completed once, however many come at once", () =>
    Effect.gen(function* () {
      const { browser, callback } = yield* onTheWay()
      const secret = browser.jar(BASE_URL).get(LOGIN_COOKIE) ?? ""
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 5 }),
        () =>
          Effect.gen(function* () {
            const copy = yield* aBrowser
            copy.jar(BASE_URL).set(LOGIN_COOKIE, secret)
            return yield* outcome(copy, callback)
          }),
        { concurrency: "unbounded" }
      )
      assert.sameMembers(outcomes, [ADMITTED, REFUSED, REFUSED, REFUSED, REFUSED])
      browser.jar(BASE_URL).set(LOGIN_COOKIE, secret)
      assert.strictEqual(yield* outcome(browser, callback), REFUSED)
    })
  )

  it.effect("is refused when it took too long", () =>
    Effect.gen(function* () {
      const [logins, unit] = [yield* LoginStore, yield* UnitOfWork]
      const { browser, callback } = yield* onTheWay()
      const hash = createHash("sha256")
        .update(browser.jar(BASE_URL).get(LOGIN_COOKIE) ?? "")
        .digest("hex")
      const expiresAt = DateTime.subtract(yield* DateTime.now, { milliseconds: 1 })
      yield* unit.atomic(
        Effect.gen(function* () {
          const attempt = yield* logins.takeAttempt(hash)
          if (attempt !== undefined) yield* logins.insertAttempt(hash, { ...attempt, expiresAt })
        })
      )
      assert.strictEqual(yield* outcome(browser, callback), REFUSED)
    })
  )

  it.effect("that was begun through one provider is not completed through the other", () =>
    Effect.gen(function* () {
      const { browser, callback } = yield* onTheWay("google")
      assert.strictEqual(yield* outcome(browser, callback.replace("/google/", "/github/")), REFUSED)
    })
  )

  it.effect("is refused when the provider answers another nonce", () =>
    Effect.gen(function* () {
      const providers = yield* Providers
      const api = yield* TestApi
      const person = yield* nextPerson("google")
      yield* invite(yield* api.tenant, person.email)
      const browser = yield* aBrowser
      providers.google.behaviour.nonce = "another"
      const callback = yield* comeBack(browser, "google")
      providers.google.behaviour.nonce = undefined
      assert.strictEqual(yield* outcome(browser, callback), REFUSED)
    })
  )

  it.effect("is refused with a code that was made for another challenge", () =>
    Effect.gen(function* () {
      const { browser, callback } = yield* onTheWay("github")
      const injected = yield* onTheWay("github")
      const url = new URL(callback)
      url.searchParams.set("code", new URL(injected.callback).searchParams.get("code") ?? "")
      assert.strictEqual(yield* outcome(browser, url.href), REFUSED)
    })
  )

  // Session fixation: a cookie that somebody else has put there must not become the person's session.
  it.effect("gives a new session and does not take over the one that the browser sends", () =>
    Effect.gen(function* () {
      const { browser, callback } = yield* onTheWay()
      const planted = "A".repeat(43)
      browser.jar(BASE_URL).set(COOKIE, planted)
      assert.strictEqual(yield* outcome(browser, callback), ADMITTED)
      assert.notStrictEqual(browser.jar(BASE_URL).get(COOKIE), planted)
      assert.strictEqual((yield* whoIs(browser)).status, 200)
      const attacker = yield* aBrowser
      attacker.jar(BASE_URL).set(COOKIE, planted)
      assert.strictEqual((yield* whoIs(attacker)).status, 401)
    })
  )

  it.effect("leads nowhere but to the dashboard, whatever the provider says", () =>
    Effect.gen(function* () {
      const { browser, callback } = yield* onTheWay("google", "?return_to=/runs")
      const url = new URL(callback)
      url.searchParams.set("return_to", "https://evil.test")
      url.searchParams.set("organization_id", "nonsense")
      const { location } = yield* visit(browser, url.href)
      assert.strictEqual(location, "https://dashboard.test/runs")
    })
  )

  it.effect("through a second provider with the same address does not get an invitation that was taken up", () =>
    Effect.gen(function* () {
      const { browser, callback, person } = yield* onTheWay("google")
      assert.strictEqual(yield* outcome(browser, callback), ADMITTED)
      yield* nextPerson("github", { email: person.email })
      const { code, status } = yield* logIn(yield* aBrowser, "github")
      assert.strictEqual(`${status} ${code}`, "403 not_invited")
    })
  )
})
