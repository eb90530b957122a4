/** The two cookies of a login: that of the session, and the one that a login under way asks for. */
import { SESSION_COOKIE } from "@agent-platform/contract"
import { LOGIN_MINUTES_MAX, SESSION_DAYS_MAX } from "@agent-platform/keys"
import { Redacted } from "effect"
import { type Cookies, type Headers, HttpServerResponse } from "effect/http"

/** The cookie of a login under way. By its prefix no other host of the domain can plant one. */
export const LOGIN_COOKIE = "__Host-agent-platform-login"

type Options = NonNullable<Cookies.Cookie["options"]>

// Lax, for the browser comes back from another site, by a link.
const OPTIONS: Options = { httpOnly: true, secure: true, sameSite: "lax", path: "/" }

const put =
  (name: string, value: string, options: Options) =>
  (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse =>
    HttpServerResponse.setCookieUnsafe(response, name, value, options)

/** Gives the browser a session. */
export const putSessionCookie = (secret: Redacted.Redacted) =>
  put(SESSION_COOKIE, Redacted.value(secret), { ...OPTIONS, maxAge: `${SESSION_DAYS_MAX} days` })

/** Takes the session away from the browser. */
export const clearSessionCookie = put(SESSION_COOKIE, "", { ...OPTIONS, maxAge: 0 })

/** Gives the browser what the callback will ask for. */
export const putLoginCookie = (secret: Redacted.Redacted) =>
  put(LOGIN_COOKIE, Redacted.value(secret), { ...OPTIONS, maxAge: `${LOGIN_MINUTES_MAX} minutes` })

/** Takes that away again. */
export const clearLoginCookie = put(LOGIN_COOKIE, "", { ...OPTIONS, maxAge: 0 })

/** Every value that comes under a name, as it was sent; browsers may send several. An empty one counts as absent. */
export const cookiesNamed = (headers: Headers.Headers, name: string): ReadonlyArray<string> =>
  (headers["cookie"] ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .filter((value) => value !== "")
