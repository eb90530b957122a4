/** The adapter against a real identity provider on loopback, in both roles. Spec: OAuth. */
import { IdentityProvider, ProviderUnknown, ProviderUnreachable } from "@agent-platform/keys"
import { OAuthIdentityProvider } from "@agent-platform/oauth"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  acquire,
  aLogin,
  comeBack,
  identify,
  layerOf,
  logIn,
  REDIRECT_URI,
  type Role,
  refusalOf
} from "./support/logins.ts"
import type { startProvider, TestProvider } from "./support/TestProvider.ts"

for (const role of ["google", "github"] as const) {
  describe.concurrent(`${role}'s role`, () => {
    const against = <A, E>(
      title: string,
      test: (provider: TestProvider) => Effect.Effect<A, E, IdentityProvider>,
      options: Parameters<typeof startProvider>[2] = {}
    ) =>
      it.live(title, () =>
        Effect.scoped(
          Effect.flatMap(acquire(role, options), (provider) => Effect.provide(test(provider), layerOf(role, provider)))
        )
      )

    against("answers who the person is, by issuer and subject, with a verified address", (provider) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* logIn(role), {
          issuer: provider.url,
          subject: "4711",
          email: "ada@example.com",
          emailVerified: true,
          name: "Ada"
        })
      })
    )

    against("does not take an address for verified that the provider does not vouch for", (provider) =>
      Effect.gen(function* () {
        provider.behaviour.person = { id: "4712", email: "eve@example.com", verified: false, name: "Eve" }
        const { email, emailVerified } = yield* logIn(role)
        assert.deepStrictEqual({ email, emailVerified }, { email: "eve@example.com", emailVerified: false })
      })
    )

    against("does without an address and a name", (provider) =>
      Effect.gen(function* () {
        provider.behaviour.person = { id: "4713", email: undefined, verified: false, name: undefined }
        const { email, emailVerified, name } = yield* logIn(role)
        assert.deepStrictEqual({ email, emailVerified }, { email: null, emailVerified: false })
        assert.include(name, "4713")
      })
    )

    against("puts a name into one line", (provider) =>
      Effect.gen(function* () {
        provider.behaviour.person = {
          id: "4714",
          email: undefined,
          verified: false,
          name: " Ada\u0000\r\nLovelace\t💡 "
        }
        assert.strictEqual((yield* logIn(role)).name, "Ada Lovelace 💡")
      })
    )

    against("asks for PKCE by S256, and sends state along", () =>
      Effect.gen(function* () {
        const login = yield* aLogin
        const identities = yield* IdentityProvider
        const { searchParams } = new URL(yield* identities.authorizeUrl(role, login))
        assert.strictEqual(searchParams.get("state"), login.state)
        assert.strictEqual(searchParams.get("code_challenge"), login.codeChallenge)
        assert.strictEqual(searchParams.get("code_challenge_method"), "S256")
        assert.strictEqual(searchParams.get("redirect_uri"), REDIRECT_URI)
        assert.strictEqual(searchParams.get("response_type"), "code")
        assert.notInclude([...searchParams.values()], login.codeVerifier)
      })
    )

    against("refuses another state than it was begun with", () =>
      Effect.gen(function* () {
        const login = yield* aLogin
        const url = new URL(yield* comeBack(role, login))
        url.searchParams.set("state", "another")
        yield* refusalOf(identify(role, login, url.href))
      })
    )

    against("refuses the answer of another issuer", () =>
      Effect.gen(function* () {
        const login = yield* aLogin
        const url = new URL(yield* comeBack(role, login))
        url.searchParams.set("iss", "https://elsewhere.test")
        yield* refusalOf(identify(role, login, url.href))
      })
    )

    against("refuses a code the second time", () =>
      Effect.gen(function* () {
        const login = yield* aLogin
        const callbackUrl = yield* comeBack(role, login)
        yield* identify(role, login, callbackUrl)
        yield* refusalOf(identify(role, login, callbackUrl))
      })
    )

    against("refuses an invented code", () =>
      Effect.gen(function* () {
        const login = yield* aLogin
        const url = new URL(yield* comeBack(role, login))
        url.searchParams.set("code", "invented")
        const { detail } = yield* refusalOf(identify(role, login, url.href))
        assert.notInclude(detail, "invented")
      })
    )

    against("refuses a code with the verifier of another login", () =>
      Effect.gen(function* () {
        const [login, other] = [yield* aLogin, yield* aLogin]
        const callbackUrl = yield* comeBack(role, login)
        yield* refusalOf(identify(role, { ...login, codeVerifier: other.codeVerifier }, callbackUrl))
      })
    )

    against("refuses a login that the person broke off", (provider) =>
      Effect.gen(function* () {
        provider.behaviour.declines = true
        yield* refusalOf(logIn(role))
      })
    )

    against("calls a provider that answers nothing unreachable, within bounds of time", (provider) =>
      Effect.gen(function* () {
        const login = yield* aLogin
        const callbackUrl = yield* comeBack(role, login)
        provider.behaviour.silent = ["/token", "/login/oauth/access_token"]
        assert.instanceOf(yield* Effect.flip(identify(role, login, callbackUrl)), ProviderUnreachable)
      })
    )

    it.live("calls a provider that is not there unreachable, and names no secret", () =>
      Effect.gen(function* () {
        const provider = yield* Effect.scoped(acquire(role))
        const login = yield* aLogin
        const callbackUrl = `${REDIRECT_URI}?state=${login.state}&code=abc&iss=${encodeURIComponent(provider.url)}`
        const error = yield* Effect.flip(identify(role, login, callbackUrl)).pipe(
          Effect.provide(layerOf(role, provider))
        )
        assert.instanceOf(error, ProviderUnreachable)
        const text = JSON.stringify(error)
        for (const secret of [provider.clientSecret, login.codeVerifier, login.nonce, "abc"]) {
          assert.notInclude(text, secret)
        }
      })
    )

    it.live("calls a provider that does not know the platform unreachable, for the operator to see", () =>
      Effect.scoped(
        Effect.gen(function* () {
          const provider = yield* acquire(role)
          const stranger = layerOf(role, { ...provider, clientSecret: "not the secret that both sides know" })
          const error = yield* Effect.flip(Effect.provide(logIn(role), stranger))
          assert.instanceOf(error, ProviderUnreachable)
          assert.include((error as ProviderUnreachable).detail, "invalid_client")
        })
      )
    )
  })
}

describe("a provider that is not configured", () => {
  it.live("is unknown", () =>
    Effect.gen(function* () {
      const login = yield* aLogin
      const identities = yield* IdentityProvider
      assert.deepStrictEqual([...identities.providers], [])
      for (const name of ["google", "github", "__proto__", "constructor", ""]) {
        assert.instanceOf(yield* Effect.flip(identities.authorizeUrl(name, login)), ProviderUnknown)
        assert.instanceOf(yield* Effect.flip(identify(name as Role, login, REDIRECT_URI)), ProviderUnknown)
      }
    }).pipe(Effect.provide(OAuthIdentityProvider.layer({})))
  )
})
