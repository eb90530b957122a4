import { atomic } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, type Redacted } from "effect"
import { derive, hashLoginSecret, isLoginSecret, isSame } from "../../LoginSecret.ts"
import { LoginStateInvalid } from "../../LoginSession.ts"
import { IdentityProvider, ProviderUnknown } from "../../ports/IdentityProvider.ts"
import { LoginStore } from "../../ports/LoginStore.ts"
import { admit } from "./admit.ts"
import { type LoginRefusal, noteRefusedLogin } from "./noteRefusedLogin.ts"

export interface CompleteLogin {
  readonly provider: string
  /** The secret that this browser got when the login was begun; undefined where it has none. */
  readonly secret: Redacted.Redacted | undefined
  readonly redirectUri: string
  /** `redirectUri` with the query that the browser came with. */
  readonly callbackUrl: string
  readonly userAgent: string | undefined
  readonly clientAddress: string | undefined
}

/** The outcome of a login. `returnTo` is the URL to which the browser goes next. */
export type CompletedLogin =
  | { readonly outcome: "admitted"; readonly returnTo: string; readonly secret: Redacted.Redacted }
  /** The person or the provider broke it off; `error` is the provider's code for the reason. */
  | { readonly outcome: "broken_off"; readonly returnTo: string; readonly error: string }

const notBegunHere = () => new LoginStateInvalid({ detail: "The login was not begun in this browser. Begin it again" })

const over = () =>
  new LoginStateInvalid({ detail: "The login was completed before, or it took too long. Begin it again" })

/**
 * Completes a login with the parameters of the identity provider's callback, and admits the person with a new session. Fails with
 * LoginStateInvalid for another browser, a late callback or a second one; with ProviderUnknown, LoginRefused or
 * ProviderUnreachable; and with NotInvited. A refused login leaves only an entry of activity, in the organization that it named,
 * if it named one. Spec: OAuth.
 */
export const completeLogin = useCase("keys.completeLogin")(function* (command: CompleteLogin) {
  const provider = yield* IdentityProvider
  const store = yield* LoginStore
  if (!provider.providers.includes(command.provider)) return yield* new ProviderUnknown()
  const { secret } = command
  if (secret === undefined || !isLoginSecret(secret)) return yield* notBegunHere()
  const query = new URL(command.callbackUrl).searchParams
  const state = derive(secret, "state")
  // Checked before the store is touched, so that a forged callback cannot use up the login of this browser.
  if (query.getAll("state").length !== 1 || !isSame(query.get("state") ?? "", state)) return yield* notBegunHere()

  const attempt = yield* atomic(store.takeAttempt(yield* hashLoginSecret(secret)))
  const isOpen =
    attempt !== undefined &&
    attempt.provider === command.provider &&
    DateTime.isGreaterThan(attempt.expiresAt, yield* DateTime.now)
  if (!isOpen) return yield* over()
  const { organizationId, returnTo } = attempt
  const error = query.get("error")
  if (error !== null) {
    const brokenOff: CompletedLogin = { outcome: "broken_off", returnTo, error }
    return brokenOff
  }

  const note = (reason: LoginRefusal) =>
    organizationId === null ? Effect.void : noteRefusedLogin({ ...command, organizationId, reason })
  const identity = yield* provider
    .identify(command.provider, {
      callbackUrl: command.callbackUrl,
      redirectUri: command.redirectUri,
      state,
      nonce: derive(secret, "nonce"),
      codeVerifier: derive(secret, "code_verifier")
    })
    .pipe(Effect.tapErrorTag("LoginRefused", () => note("provider_refused")))
  const admitted: CompletedLogin = {
    outcome: "admitted",
    returnTo,
    secret: yield* atomic(admit({ ...command, identity, organizationId })).pipe(
      Effect.tapErrorTag("NotInvited", ({ reason }) => note(reason))
    )
  }
  return admitted
})
