/** Which identity providers an API has, by its environment. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import { config } from "../src/config.ts"
import { oauthConfig } from "../src/oauthSettings.ts"

const NEEDED = { DATABASE_URL: "postgres://127.0.0.1/agents", SECRETS_KEY: "x" }

const withEnvironment = (environment: Readonly<Record<string, string>>) =>
  ConfigProvider.layer(ConfigProvider.fromUnknown({ ...NEEDED, ...environment }))

const read = (environment: Readonly<Record<string, string>>) =>
  Effect.provide(oauthConfig, withEnvironment(environment))

const NO_PROVIDERS = { openId: {}, github: undefined }
const GOOGLE = { OAUTH_GOOGLE_CLIENT_ID: "id", OAUTH_GOOGLE_CLIENT_SECRET: "a secret" }
const GITHUB = { OAUTH_GITHUB_CLIENT_ID: "id", OAUTH_GITHUB_CLIENT_SECRET: "a secret" }

describe("the settings of identity providers", () => {
  it.effect("configure none of themselves", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read({}), NO_PROVIDERS)
      const empty = { OAUTH_GOOGLE_CLIENT_ID: "", OAUTH_GOOGLE_CLIENT_SECRET: "" }
      assert.deepStrictEqual(yield* read(empty), NO_PROVIDERS)
    })
  )

  it.effect("take two lines for each provider", () =>
    Effect.gen(function* () {
      const { github, openId } = yield* read({ ...GOOGLE, ...GITHUB })
      const google = openId?.["google"]
      assert.strictEqual(google?.issuer, "https://accounts.google.com")
      assert.strictEqual(Redacted.value(google?.clientSecret ?? Redacted.make("")), "a secret")
      assert.strictEqual(github?.url, "https://github.com")
      assert.strictEqual(github?.apiUrl, "https://api.github.com")
    })
  )

  it.effect("stop a start where one of the two is missing, and name it without the other's value", () =>
    Effect.gen(function* () {
      for (const [given, missing] of [
        ["OAUTH_GOOGLE_CLIENT_ID", "OAUTH_GOOGLE_CLIENT_SECRET"],
        ["OAUTH_GOOGLE_CLIENT_SECRET", "OAUTH_GOOGLE_CLIENT_ID"],
        ["OAUTH_GITHUB_CLIENT_ID", "OAUTH_GITHUB_CLIENT_SECRET"],
        ["OAUTH_GITHUB_CLIENT_SECRET", "OAUTH_GITHUB_CLIENT_ID"]
      ] as const) {
        const { message, variable } = yield* Effect.flip(read({ [given]: "hunter2" }))
        assert.strictEqual(variable, missing)
        assert.strictEqual(message, `${missing} is missing: ${given} is set, and a provider takes both`)
      }
    })
  )

  it.effect("take another issuer and another GitHub by TLS, and without it on loopback alone", () =>
    Effect.gen(function* () {
      const good = [
        "https://login.example.com/realms/a/",
        "http://127.0.0.1:4000",
        "http://localhost:1",
        "http://[::1]:2"
      ]
      for (const issuer of good) {
        const { openId } = yield* read({ ...GOOGLE, OAUTH_GOOGLE_ISSUER: issuer })
        assert.strictEqual(openId?.["google"]?.issuer, issuer)
      }
      const github = yield* read({ ...GITHUB, OAUTH_GITHUB_URL: "https://git.example.com/" })
      assert.strictEqual(github.github?.url, "https://git.example.com")
      const bad = [
        "http://login.example.com",
        "http://127.0.0.1.evil.test",
        "https://a@b.test",
        "https://a.test?x",
        "x"
      ]
      for (const url of bad) {
        for (const variable of ["OAUTH_GOOGLE_ISSUER", "OAUTH_GITHUB_URL", "OAUTH_GITHUB_API_URL"]) {
          assert.strictEqual((yield* Effect.flip(read({ [variable]: url }))).variable, variable, url)
        }
      }
    })
  )
})

describe("OAUTH_PROVIDERS", () => {
  const ACME = {
    OAUTH_PROVIDERS: "google,acme-id",
    OAUTH_ACME_ID_ISSUER: "https://login.acme.test",
    OAUTH_ACME_ID_CLIENT_ID: "id",
    OAUTH_ACME_ID_CLIENT_SECRET: "a secret"
  }

  it.effect("adds an issuer by its name, with settings that begin with it", () =>
    Effect.gen(function* () {
      const { github, openId } = yield* read({ ...ACME, ...GOOGLE, ...GITHUB })
      assert.deepStrictEqual(Object.keys(openId ?? {}), ["google", "acme-id"])
      assert.strictEqual(openId?.["acme-id"]?.issuer, "https://login.acme.test")
      assert.strictEqual(openId?.["acme-id"]?.clientId, "id")
      assert.isUndefined(github, "is not in the list")
    })
  )

  it.effect("can leave out all of them, whatever is registered", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read({ ...GOOGLE, ...GITHUB, OAUTH_PROVIDERS: "none" }), NO_PROVIDERS)
    })
  )

  it.effect("stops a start that lists an issuer of which a setting is missing, and names that setting", () =>
    Effect.gen(function* () {
      for (const variable of ["OAUTH_ACME_ID_ISSUER", "OAUTH_ACME_ID_CLIENT_ID", "OAUTH_ACME_ID_CLIENT_SECRET"]) {
        assert.strictEqual((yield* Effect.flip(read({ ...ACME, [variable]: "" }))).variable, variable)
      }
      const none = { OAUTH_PROVIDERS: "acme", OAUTH_ACME_ISSUER: "https://login.acme.test" }
      assert.strictEqual(
        (yield* Effect.flip(read(none))).message,
        "OAUTH_ACME_CLIENT_ID is missing: OAUTH_PROVIDERS lists acme"
      )
    })
  )

  it.effect("stops a start where an issuer would be asked without TLS", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(read({ ...ACME, OAUTH_ACME_ID_ISSUER: "http://login.acme.test" }))
      assert.strictEqual(message, "OAUTH_ACME_ID_ISSUER is not an https URL without query")
    })
  )

  it.effect("refuses names that could not stand in an address or a variable, names twice, and too many", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 21 }, (_, index) => `p${index}`).join(",")
      const names = ["Acme", "a_b", "a--b", "-a", "9a", "a,", "a/b", "acme,acme", "a".repeat(33), "__proto__", many]
      for (const text of names) {
        const { message, variable } = yield* Effect.flip(read({ ...ACME, OAUTH_PROVIDERS: text }))
        assert.strictEqual(variable, "OAUTH_PROVIDERS", text)
        assert.notInclude(message, text)
      }
    })
  )
})

describe("DASHBOARD_URL", () => {
  const dashboard = (environment: Readonly<Record<string, string>>) =>
    Effect.map(Effect.provide(config, withEnvironment(environment)), ({ dashboardUrl }) => dashboardUrl)

  it.effect("is the address of the API unless it is set", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* dashboard({}), "http://127.0.0.1:8080/")
      assert.strictEqual(yield* dashboard({ BASE_URL: "https://agents.test/api" }), "https://agents.test/api/")
      assert.strictEqual(yield* dashboard({ DASHBOARD_URL: "https://app.test" }), "https://app.test/")
      assert.strictEqual((yield* Effect.flip(dashboard({ DASHBOARD_URL: "app.test" }))).variable, "DASHBOARD_URL")
    })
  )
})
