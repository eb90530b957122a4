import { type OrganizationId, UnitOfWork } from "@agent-platform/kernel"
import { DateTime, Effect, type Redacted } from "effect"
import { challengeOf, derive, generateLoginSecret, hashLoginSecret } from "../../LoginSecret.ts"
import { LOGIN_MINUTES_MAX } from "../../LoginSession.ts"
import { IdentityProvider } from "../../ports/IdentityProvider.ts"
import { LoginStore } from "../../ports/LoginStore.ts"

export interface BeginLogin {
  readonly provider: string
  /** Where the provider sends the browser back to. */
  readonly redirectUri: string
  /** Where the browser goes in the end. That it is a place of ours is for the caller to check. */
  readonly returnTo: string
  readonly organizationId: OrganizationId | undefined
}

/** Where the browser goes, and the secret that it must come back with. */
export interface BegunLogin {
  readonly authorizeUrl: string
  readonly secret: Redacted.Redacted
}

/**
 * Begins a login. `state`, `nonce` and code verifier follow from the secret that the browser alone keeps, so that nothing
 * in the store is of use to who reads it. Fails with ProviderUnknown or ProviderUnreachable. Spec: OAuth.
 */
export const beginLogin = Effect.fn("keys.beginLogin")(function* (command: BeginLogin) {
  const provider = yield* IdentityProvider
  const store = yield* LoginStore
  const unit = yield* UnitOfWork
  const secret = yield* generateLoginSecret
  const authorizeUrl = yield* provider.authorizeUrl(command.provider, {
    state: yield* derive(secret, "state"),
    nonce: yield* derive(secret, "nonce"),
    codeChallenge: yield* challengeOf(yield* derive(secret, "code_verifier")),
    redirectUri: command.redirectUri
  })
  const hash = yield* hashLoginSecret(secret)
  yield* unit.atomic(
    store.insertAttempt(hash, {
      provider: command.provider,
      returnTo: command.returnTo,
      organizationId: command.organizationId ?? null,
      expiresAt: DateTime.add(yield* DateTime.now, { minutes: LOGIN_MINUTES_MAX })
    })
  )
  const begun: BegunLogin = { authorizeUrl, secret }
  return begun
})
