import { atomic, type OrganizationId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, type Redacted } from "effect"
import { challengeOf, derive, generateLoginSecret, hashLoginSecret } from "../../LoginSecret.ts"
import { LOGIN_MINUTES_MAX, LOGINS_UNDER_WAY_MAX, TooManyLogins } from "../../LoginSession.ts"
import { loginNetworkOf } from "../../loginNetworkOf.ts"
import { IdentityProvider } from "../../ports/IdentityProvider.ts"
import { LoginStore } from "../../ports/LoginStore.ts"

export interface BeginLogin {
  readonly provider: string
  /** The URL to which the provider sends the browser back. */
  readonly redirectUri: string
  /** The URL to which the browser goes in the end. The caller must check that it is allowed. */
  readonly returnTo: string
  readonly organizationId: OrganizationId | undefined
  /** The address of the request; undefined where it is not known. */
  readonly clientAddress: string | undefined
}

/** The URL to which the browser goes, and the secret with which it must come back. */
export interface BegunLogin {
  readonly authorizeUrl: string
  readonly secret: Redacted.Redacted
}

/**
 * Begins a login. `state`, `nonce` and code verifier are derived from the browser's secret, so that the stored row is of no use to
 * a thief. Fails with ProviderUnknown, ProviderUnreachable or TooManyLogins; logins are limited because anybody can begin one,
 * and each is a row until it is completed or expires. Spec: OAuth.
 */
export const beginLogin = useCase("keys.beginLogin")(function* (command: BeginLogin) {
  const provider = yield* IdentityProvider
  const store = yield* LoginStore
  const secret = yield* generateLoginSecret
  const authorizeUrl = yield* provider.authorizeUrl(command.provider, {
    state: derive(secret, "state"),
    nonce: derive(secret, "nonce"),
    codeChallenge: yield* challengeOf(derive(secret, "code_verifier")),
    redirectUri: command.redirectUri
  })
  const hash = yield* hashLoginSecret(secret)
  const clientNetwork = loginNetworkOf(command.clientAddress)
  yield* atomic(
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const { count, firstExpiresAt } = yield* store.holdAttempts(clientNetwork, now)
      if (count >= LOGINS_UNDER_WAY_MAX) {
        const millis = DateTime.toEpochMillis(firstExpiresAt ?? now) - DateTime.toEpochMillis(now)
        const retryAfterSeconds = Math.max(1, Math.ceil(millis / 1_000))
        return yield* new TooManyLogins({ limit: LOGINS_UNDER_WAY_MAX, retryAfterSeconds })
      }
      yield* store.insertAttempt(hash, {
        provider: command.provider,
        returnTo: command.returnTo,
        organizationId: command.organizationId ?? null,
        clientNetwork,
        expiresAt: DateTime.add(now, { minutes: LOGIN_MINUTES_MAX })
      })
    })
  )
  const begun: BegunLogin = { authorizeUrl, secret }
  return begun
})
