import { RETURN_TO_LENGTH_MAX } from "@agent-platform/contract"

/** Characters that browsers change: they read backslashes as slashes, and drop white space and control characters. */
const MISLEADING = /[\\\s\p{C}]/u

/** A scheme without a host after it. Browsers resolve it as a path, or in another way that depends on the scheme. */
const HOSTLESS = /^[a-z][a-z\d+.-]*:(?!\/\/[^/])/i

/**
 * The URL to which a login may lead in the end: the dashboard, or a URL or path with exactly its origin. Undefined for every
 * other one, so that a link to the platform cannot lead to a stranger's page.
 */
export const returnTarget = (dashboardUrl: string, asked: string | undefined): string | undefined => {
  if (asked === undefined) return new URL(dashboardUrl).href
  if (asked.length > RETURN_TO_LENGTH_MAX || MISLEADING.test(asked)) return undefined
  if (HOSTLESS.test(asked) || asked.startsWith("//")) return undefined
  const dashboard = new URL(dashboardUrl)
  const target = URL.parse(asked, `${dashboardUrl.replace(/\/$/, "")}/`)
  // The protocol is compared, too, since the origin of blob:https://… is that of the inner URL.
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

/** Adds the reason why nobody is logged in to a URL. An unknown reason becomes `server_error`. */
export const withLoginError = (target: string, error: string): string => {
  const url = new URL(target)
  url.searchParams.set("login_error", PROVIDER_ERRORS.includes(error) ? error : "server_error")
  return url.href
}
