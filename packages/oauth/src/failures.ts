/** The failures of the library and the network, in the port's words. */
import { LoginRefused, ProviderUnreachable } from "@agent-platform/keys"
import { AuthorizationResponseError, ClientError, ResponseBodyError } from "openid-client"

/** The errors by which a provider refuses the authorization code of a login. The second is GitHub's. */
const CODE_REFUSED: ReadonlyArray<string> = ["invalid_grant", "bad_verification_code"]

/** The library's error codes for an answer that does not fit this login. */
const DOES_NOT_FIT: ReadonlyArray<string> = [
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
  "OAUTH_KEY_SELECTION_FAILED",
  "OAUTH_UNSUPPORTED_OPERATION"
]

/** A provider's error if it is a plain word, as the codes of OAuth are, so that it can be shown. */
const word = (text: string): string => (/^[\w.-]{1,64}$/.test(text) ? text : "an error without a name")

/** Most causes that are named, each of the one before. */
const DEPTH_MAX = 4

/** The messages of an error and its causes. They are the library's and the runtime's, which hold neither codes nor tokens. */
const reasonOf = (error: unknown, depth = 0): string => {
  if (!(error instanceof Error) || depth > DEPTH_MAX) return "unknown"
  const inner = error.cause instanceof Error ? `: ${reasonOf(error.cause, depth + 1)}` : ""
  return error.message + inner
}

/** The meaning of a failure for the login. */
export const failureOf = (error: unknown): LoginRefused | ProviderUnreachable => {
  if (error instanceof AuthorizationResponseError) {
    return new LoginRefused({ detail: "The identity provider did not let the person in" })
  }
  if (error instanceof ResponseBodyError) {
    return CODE_REFUSED.includes(error.error)
      ? new LoginRefused({ detail: "The identity provider does not accept its code, or not any more. Begin again" })
      : new ProviderUnreachable({ detail: `It answers ${error.status} ${word(error.error)}` })
  }
  if (error instanceof ClientError && DOES_NOT_FIT.includes(error.code ?? "")) {
    return new LoginRefused({ detail: "What the identity provider says does not fit this login. Begin again" })
  }
  return new ProviderUnreachable({ detail: reasonOf(error) })
}
