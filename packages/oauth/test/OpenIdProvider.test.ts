/** The ID token and the discovery document, which OpenID Connect has beyond OAuth 2. Spec: OAuth. */
import { type IdentityProvider, ProviderUnreachable } from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { acquire, layerOf, logIn, refusalOf } from "./support/logins.ts"
import type { startProvider, TestProvider } from "./support/TestProvider.ts"

describe.concurrent("OpenID Connect", () => {
  const against = <A, E>(
    title: string,
    test: (provider: TestProvider) => Effect.Effect<A, E, IdentityProvider>,
    options: Parameters<typeof startProvider>[2] = {}
  ) =>
    it.live(title, () =>
      Effect.scoped(
        Effect.flatMap(acquire("google", options), (provider) =>
          Effect.provide(test(provider), layerOf("google", provider))
        )
      )
    )

  against("refuses an ID token with another nonce", (provider) =>
    Effect.gen(function* () {
      provider.behaviour.nonce = "another"
      yield* refusalOf(logIn("google"))
    })
  )

  against("refuses an ID token that is signed by a key which the provider does not publish", (provider) =>
    Effect.gen(function* () {
      provider.behaviour.foreignKeys = true
      yield* refusalOf(logIn("google"))
    })
  )

  against(
    "reads the address from where the access token is shown when the ID token has none",
    () =>
      Effect.gen(function* () {
        const { email, emailVerified } = yield* logIn("google")
        assert.deepStrictEqual({ email, emailVerified }, { email: "ada@example.com", emailVerified: true })
      }),
    { claimsInIdToken: false }
  )

  against("reads the discovery document once, however many come at once", (provider) =>
    Effect.gen(function* () {
      yield* Effect.all(
        Array.from({ length: 5 }, () => logIn("google")),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(provider.asked.get("/.well-known/openid-configuration"), 1)
    })
  )

  against("asks again when the discovery document cannot be had at first", (provider) =>
    Effect.gen(function* () {
      provider.behaviour.failures = 2
      assert.strictEqual((yield* logIn("google")).subject, "4711")
    })
  )

  against("does not remember that a discovery failed", (provider) =>
    Effect.gen(function* () {
      provider.behaviour.failures = 3
      assert.instanceOf(yield* Effect.flip(logIn("google")), ProviderUnreachable)
      assert.strictEqual((yield* logIn("google")).subject, "4711")
    })
  )

  it.live("refuses a provider that calls itself otherwise than it is configured", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const provider = yield* acquire("google")
        const renamed = layerOf("google", { ...provider, url: provider.url.replace("127.0.0.1", "localhost") })
        assert.instanceOf(yield* Effect.flip(Effect.provide(logIn("google"), renamed)), ProviderUnreachable)
      })
    )
  )
})
