/** The two cookies of logins: one holds a session, the other a login under way. */
import { SESSION_COOKIE } from "@agent-platform/contract"
import { LOGIN_MINUTES_MAX, SESSION_DAYS_MAX } from "@agent-platform/keys"
import { Redacted } from "effect"
import { type Cookies, type Headers, HttpServerResponse } from "effect/http"

/** The cookie of a login under way. Its prefix keeps other hosts of the domain from setting it. */
export const LOGIN_COOKIE = "__Host-agent-platform-login"

type Options = NonNullable<Cookies.Cookie["options"]>

// Lax, since the browser comes back from the provider's site by a link.
const OPTIONS: Options = { httpOnly: true, secure: true, sameSite: "lax", path: "/" }

const put =
  (name: string, value: string, options: Options) =>
  (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse =>
    HttpServerResponse.setCookieUnsafe(response, name, value, options)

/** Sets the session cookie. */
export const putSessionCookie = (secret: Redacted.Redacted) =>
  put(SESSION_COOKIE, Redacted.value(secret), { ...OPTIONS, maxAge: `${SESSION_DAYS_MAX} days` })

/** Removes the session cookie. */
export const clearSessionCookie = put(SESSION_COOKIE, "", { ...OPTIONS, maxAge: 0 })

/** Sets the cookie of a login under way, which the callback will need. */
export const putLoginCookie = (secret: Redacted.Redacted) =>
  put(LOGIN_COOKIE, Redacted.value(secret), { ...OPTIONS, maxAge: `${LOGIN_MINUTES_MAX} minutes` })

/** Removes the cookie of a login under way. */
export const clearLoginCookie = put(LOGIN_COOKIE, "", { ...OPTIONS, maxAge: 0 })

/** Every value of the cookies with this name, since browsers may send several. An empty value counts as absent. */
export const cookiesNamed = (headers: Headers.Headers, name: string): ReadonlyArray<string> =>
  (headers["cookie"] ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .filter((value) => value !== "")
