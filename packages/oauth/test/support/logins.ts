/** Logins against the test provider, as a login of the platform makes them. */
import { IdentityProvider, LoginRefused } from "@agent-platform/keys"
import { OAuthIdentityProvider } from "@agent-platform/oauth"
import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Browser } from "./Browser.ts"
import { startProvider, type TestProvider } from "./TestProvider.ts"

export const REDIRECT_URI = "https://agents.test/api/v1/auth/oauth/callback"

export type Role = "google" | "github"

export const acquire = (role: Role, options: Parameters<typeof startProvider>[2] = {}) =>
  Effect.acquireRelease(
    Effect.promise(() => startProvider(role, [REDIRECT_URI], options)),
    (provider) => Effect.promise(() => provider.close())
  )

export const layerOf = (
  role: Role,
  { clientId, clientSecret, url }: Pick<TestProvider, "clientId" | "clientSecret" | "url">
) => {
  const credentials = { clientId, clientSecret: Redacted.make(clientSecret) }
  return OAuthIdentityProvider.layer(
    role === "google"
      ? { openId: { google: { issuer: url, ...credentials } } }
      : { github: { url, apiUrl: url, ...credentials } }
  )
}

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

/** The values that a login would derive from its secret. */
export const aLogin = Effect.promise(async () => {
  const [state, nonce, codeVerifier] = Array.from({ length: 3 }, () =>
    base64url(crypto.getRandomValues(new Uint8Array(32)))
  ) as [string, string, string]
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(codeVerifier))
  return { state, nonce, codeVerifier, codeChallenge: base64url(new Uint8Array(digest)), redirectUri: REDIRECT_URI }
})

export type Login = Effect.Success<typeof aLogin>

/** Sends a person to the provider and answers where it sends them back. */
export const comeBack = Effect.fnUntraced(function* (role: Role, login: Login) {
  const identities = yield* IdentityProvider
  const url = yield* identities.authorizeUrl(role, login)
  return yield* Effect.promise(() => new Browser().follow(url, REDIRECT_URI))
})

export const identify = (role: Role, login: Login, callbackUrl: string) =>
  IdentityProvider.use((identities) => identities.identify(role, { ...login, callbackUrl }))

/** A whole login up to the identity. */
export const logIn = Effect.fnUntraced(function* (role: Role) {
  const login = yield* aLogin
  return yield* identify(role, login, yield* comeBack(role, login))
})

export const refusalOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.instanceOf(error, LoginRefused)
    return error as LoginRefused
  })
