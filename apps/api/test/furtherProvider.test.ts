/** A further identity provider by its settings alone. Spec: OAuth 1. */
import { OAuthIdentityProvider } from "@agent-platform/oauth"
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Layer } from "effect"
import { startProvider, type TestProvider } from "../../../packages/oauth/test/support/TestProvider.ts"
import { oauthConfig } from "../src/oauthSettings.ts"
import { aBrowser, invite, visit, whoIs } from "./loginSupport.ts"
import { BASE_URL, layerMemory, layerOver, TestApi } from "./support.ts"

const CALLBACK = `${BASE_URL}/api/v1/auth/oauth/acme/callback`

class Acme extends Context.Service<Acme, TestProvider>()("test/Acme") {}

const layerAcme = Layer.effect(
  Acme,
  Effect.acquireRelease(
    Effect.promise(() => startProvider("google", [CALLBACK])),
    (provider) => Effect.promise(() => provider.close())
  )
)

const environmentOf = (acme: TestProvider) => ({
  OAUTH_PROVIDERS: "google,acme",
  OAUTH_ACME_ISSUER: acme.url,
  OAUTH_ACME_CLIENT_ID: acme.clientId,
  OAUTH_ACME_CLIENT_SECRET: acme.clientSecret
})

const identity = Layer.unwrap(
  Effect.gen(function* () {
    const environment = ConfigProvider.fromUnknown(environmentOf(yield* Acme))
    return OAuthIdentityProvider.layer(
      yield* Effect.orDie(Effect.provide(oauthConfig, ConfigProvider.layer(environment)))
    )
  })
)

const layerApi = Layer.unwrap(
  Effect.map(Acme, (acme) => layerOver(layerMemory, { identity: Layer.provide(identity, Layer.succeed(Acme, acme)) }))
).pipe(Layer.provideMerge(layerAcme))

layer(layerApi, { excludeTestServices: true })("a login through an issuer that the operator has added", (it) => {
  it.effect("lets an invited person in, and says through whom they came", () =>
    Effect.gen(function* () {
      const acme = yield* Acme
      const tenant = yield* TestApi.use((api) => api.tenant)
      acme.behaviour.person = { id: "31", email: "ada@acme.test", verified: true, name: "Ada" }
      yield* invite(tenant, "ada@acme.test", { organizationRole: "owner" })
      const browser = yield* aBrowser
      const { location = "" } = yield* visit(browser, `${BASE_URL}/api/v1/auth/oauth/acme/login`)
      assert.isTrue(location.startsWith(acme.url))
      const callback = yield* Effect.promise(() => browser.follow(location, CALLBACK))
      assert.strictEqual((yield* visit(browser, callback)).status, 302)
      const me = yield* whoIs(browser)
      assert.strictEqual(String(me.json["auth"]!["provider"]), "acme")
    })
  )

  it.effect("is not found under a name that is not listed, or has no registration", () =>
    Effect.gen(function* () {
      for (const name of ["google", "github", "constructor", "ACME"]) {
        const { status } = yield* visit(yield* aBrowser, `${BASE_URL}/api/v1/auth/oauth/${name}/login`)
        assert.strictEqual(status, 404, name)
      }
    })
  )
})
