/** Logging in through an identity provider, with a browser. Spec: OAuth. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Access } from "./access.ts"
import { BadRequest, Forbidden, NotFound, TooManyRequests, UnprocessableContent } from "./errors.ts"
import { id, text, uri } from "./formats.ts"
import { Strict } from "./middleware.ts"
import { documentParameters, type ParameterDoc } from "./queries.ts"
import { wire } from "./wire.ts"

/** The longest `return_to`, in characters. */
export const RETURN_TO_LENGTH_MAX = 2_048

const providerPath = {
  provider: text("The identity provider, by the name that the operator has listed: `google`, `github` or another")
}

const redirected = HttpApiSchema.WithHeaders(
  HttpApiSchema.Empty(302).annotate({ description: "The browser is sent on" }),
  {
    location: Schema.String.annotate({ description: "Where the browser goes next" }),
    "set-cookie": Schema.optionalKey(Schema.String.annotate({ description: "The session cookie" }))
  }
)

const loginDocs: Readonly<Record<string, ParameterDoc>> = {
  return_to: {
    description:
      "Where the browser goes once the person is logged in: a path of the dashboard, or a whole URL with exactly its " +
      "origin. Missing: the dashboard itself",
    schema: { type: "string", maxLength: RETURN_TO_LENGTH_MAX }
  },
  organization_id: {
    description:
      "The organization to log in to. Missing: the one that the person joined first. One in which the person has " +
      "no part ends as `not_invited`, and so does the first login of a person with several invitations, unless " +
      "it names one",
    schema: { type: "string", format: "uuid" }
  }
}

const callbackParameters = [
  { name: "state", description: "The state that the login sent" },
  { name: "code", description: "The authorization code of the identity provider" },
  { name: "error", description: "Why there is no code, as of RFC 6749, 4.1.2.1" }
].map((parameter) => ({ ...parameter, in: "query", required: false, schema: { type: "string" } }))

/** An identity provider that people can log in through. */
const LoginProvider = wire(
  {
    provider: text("Its name, as it stands in the addresses of logins"),
    loginUrl: uri("Where a browser begins a login")
  },
  { identifier: "LoginProvider", description: "An identity provider that people can log in through" }
)

/** All of them. */
export const LoginProviderList = wire(
  {
    items: Schema.Array(LoginProvider).annotate({ description: "In the order in which the operator has listed them" })
  },
  { identifier: "LoginProviderList", description: "The identity providers that are configured" }
)

/** The group behind `/api/v1/auth/oauth`, which takes no credential. */
export class LoginGroup extends HttpApiGroup.make("login")
  .add(
    HttpApiEndpoint.get("listLoginProviders", "/api/v1/auth/oauth/providers", { success: LoginProviderList })
      .middleware(Strict)
      .annotate(Access, { reach: "public", scope: null })
      .annotate(OpenApi.Summary, "List the ways to log in")
      .annotate(
        OpenApi.Description,
        "The identity providers that are configured, for a page that offers them. Takes no credential. An empty list: nobody " +
          "can log in here, keys alone are taken."
      ),
    HttpApiEndpoint.get("beginLogin", "/api/v1/auth/oauth/:provider/login", {
      params: providerPath,
      query: {
        return_to: Schema.optionalKey(text("Where to go in the end")),
        organization_id: Schema.optionalKey(id("The organization"))
      },
      success: redirected,
      error: [NotFound, UnprocessableContent, TooManyRequests]
    })
      .middleware(Strict)
      .annotate(Access, { reach: "public", scope: null })
      .annotate(OpenApi.Transform, documentParameters(loginDocs))
      .annotate(OpenApi.Summary, "Log in")
      .annotate(
        OpenApi.Description,
        "Sends a browser to the identity provider, with a cookie that the callback asks for. A provider that is " +
          "not configured is not found; a `return_to` that leads elsewhere is refused, and so is one login more " +
          "from a network from which a hundred are under way. The cookie holds for 10 minutes. A network is an " +
          "IPv4 address or the /64 of an IPv6 address; a login that is completed, or 10 minutes old, does not " +
          "count any more. 503 when the identity provider is out of reach."
      ),
    HttpApiEndpoint.get("completeLogin", "/api/v1/auth/oauth/:provider/callback", {
      params: providerPath,
      success: redirected,
      error: [BadRequest, Forbidden, NotFound]
    })
      .annotate(Access, { reach: "public", scope: null })
      .annotate(OpenApi.Transform, (operation: Record<string, unknown>) => ({
        ...operation,
        parameters: [...((operation["parameters"] as ReadonlyArray<unknown> | undefined) ?? []), ...callbackParameters]
      }))
      .annotate(OpenApi.Summary, "Come back from the identity provider")
      .annotate(
        OpenApi.Description,
        "Where the identity provider sends the browser. Gives it the session's cookie and sends it on to " +
          "`return_to`; with `login_error` added there when the person broke the login off. Parameters that are " +
          "not known are passed over. `login_error` is the provider's word, such as `access_denied`, or " +
          "`server_error` for a word that is not known. The cookie is `HttpOnly`, `Secure` and `SameSite=Lax`, and " +
          "holds for 30 days; a session that the browser had before is not taken over. 400 `oauth_state_invalid` " +
          "when the browser is another than the one that began, more than 10 minutes have passed, the callback was " +
          "used before, or the provider does not accept its code. 403 `not_invited` keeps nothing of the login. " +
          "503 when the identity provider is out of reach: begin again, the callback cannot be used twice."
      )
  )
  .annotate(OpenApi.Title, "Login")
  .annotate(OpenApi.Description, "Logging in through an identity provider, with a browser") {}
