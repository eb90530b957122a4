import { RETURN_TO_LENGTH_MAX } from "@agent-platform/contract"

/** Characters that browsers read otherwise than they look: backslashes as slashes; white space and control characters as nothing. */
const MISLEADING = /[\\\s\p{C}]/u

/** A scheme without a host after it: browsers make a path of it, or, of another scheme, something else. */
const HOSTLESS = /^[a-z][a-z\d+.-]*:(?!\/\/[^/])/i

/**
 * Where a login may lead in the end: the dashboard, or a place with exactly its origin, given as a whole URL or as a path.
 * Undefined for every other place, so that a link to us cannot lead on to somebody else's page.
 */
export const returnTarget = (dashboardUrl: string, asked: string | undefined): string | undefined => {
  if (asked === undefined) return new URL(dashboardUrl).href
  if (asked.length > RETURN_TO_LENGTH_MAX || MISLEADING.test(asked)) return undefined
  if (HOSTLESS.test(asked) || asked.startsWith("//")) return undefined
  const dashboard = new URL(dashboardUrl)
  const target = URL.parse(asked, `${dashboardUrl.replace(/\/$/, "")}/`)
  // The protocol, too: the origin of blob:https://… is that of what follows.
  const isOurs =
    target !== null &&
    target.protocol === dashboard.protocol &&
    target.origin === dashboard.origin &&
    target.username === "" &&
    target.password === ""
  return isOurs ? target.href : undefined
}

/** The errors that a provider may send instead of a code. RFC 6749, 4.1.2.1; OpenID Connect Core, 3.1.2.6. */
const PROVIDER_ERRORS: ReadonlyArray<string> = [
  "access_denied",
  "invalid_request",
  "unauthorized_client",
  "unsupported_response_type",
  "invalid_scope",
  "server_error",
  "temporarily_unavailable",
  "interaction_required",
  "login_required",
  "account_selection_required",
  "consent_required"
]

/** The same place with the reason why nobody is logged in. A word that is not known reads `server_error`. */
export const withLoginError = (target: string, error: string): string => {
  const url = new URL(target)
  url.searchParams.set("login_error", PROVIDER_ERRORS.includes(error) ? error : "server_error")
  return url.href
}
