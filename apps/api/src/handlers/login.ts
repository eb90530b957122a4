/** Logging in through an identity provider. Spec: OAuth. */
import { Api, BadRequest, Forbidden, TooManyRequests } from "@agent-platform/contract"
import { OrganizationId } from "@agent-platform/kernel"
import { Logins, type ProviderUnreachable, type TooManyLogins } from "@agent-platform/keys"
import { Effect, Redacted } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ApiSettings } from "../ApiSettings.ts"
import { clientAddressOf } from "../clientAddress.ts"
import { clearLoginCookie, cookiesNamed, LOGIN_COOKIE, putLoginCookie, putSessionCookie } from "../cookies.ts"
import { valueOf } from "../credentials.ts"
import { invalid, notFound, unavailable } from "../edge/problems.ts"
import { maybeIdOf } from "../ids.ts"
import { countRefusal } from "../refusals.ts"
import { returnTarget, withLoginError } from "../returnTarget.ts"

const stateInvalid = (detail: string) => new BadRequest({ code: "oauth_state_invalid", detail })

const unreachable = ({ detail }: ProviderUnreachable) =>
  Effect.andThen(
    Effect.logWarning("An identity provider cannot be used", detail),
    unavailable("The identity provider does not answer as it should. Try again")
  )

const tooMany = ({ limit, retryAfterSeconds }: TooManyLogins) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", String(retryAfterSeconds)))
  ).pipe(
    Effect.andThen(
      new TooManyRequests({
        code: "rate_limited",
        detail: `${limit} logins are under way from this network, which is all there may be. Try again in ${retryAfterSeconds} s`
      })
    )
  )

const queryOf = (url: string): string => {
  const at = url.indexOf("?")
  return at === -1 ? "" : url.slice(at)
}

/** The secret of the login under way. Undefined when there are several, since it is unknown which of them is genuine. */
const loginSecretOf = ({ headers }: HttpServerRequest.HttpServerRequest): Redacted.Redacted | undefined => {
  const [secret, ...others] = new Set(cookiesNamed(headers, LOGIN_COOKIE))
  return secret === undefined || others.length > 0 ? undefined : Redacted.make(secret)
}

const redirectTo = (location: string) => HttpServerResponse.empty({ status: 302, headers: { location } })

/** Handlers of the providers and of the two steps of a login. */
export const layerLogin = HttpApiBuilder.group(
  Api,
  "login",
  Effect.fnUntraced(function* (handlers) {
    const logins = yield* Logins
    const { baseUrl, dashboardUrl } = yield* ApiSettings
    const redirectUriOf = (provider: string) => `${baseUrl}/api/v1/auth/oauth/${provider}/callback`

    return handlers.handleAll({
      listLoginProviders: () =>
        Effect.succeed({
          items: logins.providers.map((provider) => ({
            provider,
            loginUrl: `${baseUrl}/api/v1/auth/oauth/${provider}/login`
          }))
        }),

      beginLogin: Effect.fnUntraced(
        function* ({ params: { provider }, query, request }) {
          if (!logins.providers.includes(provider)) return yield* notFound()
          const returnTo = returnTarget(dashboardUrl, query.return_to)
          if (returnTo === undefined) return yield* invalid("?return_to", "must be a place of the dashboard")
          const organizationId = yield* maybeIdOf(OrganizationId, query.organization_id).pipe(
            Effect.catch(() => invalid("?organization_id", "must be the id of an organization"))
          )
          const redirectUri = redirectUriOf(provider)
          const { authorizeUrl, secret } = yield* logins.beginLogin({
            provider,
            redirectUri,
            returnTo,
            organizationId,
            clientAddress: clientAddressOf(request)
          })
          return putLoginCookie(secret)(redirectTo(authorizeUrl))
        },
        Effect.catchTags({
          ProviderUnknown: notFound,
          ProviderUnreachable: unreachable,
          TooManyLogins: tooMany
        })
      ),

      completeLogin: Effect.fnUntraced(
        function* ({ params: { provider }, request }) {
          if (!logins.providers.includes(provider)) return yield* notFound()
          const redirectUri = redirectUriOf(provider)
          const completed = yield* logins.completeLogin({
            provider,
            secret: loginSecretOf(request),
            redirectUri,
            callbackUrl: redirectUri + queryOf(request.url),
            userAgent: valueOf(request.headers, "user-agent"),
            clientAddress: clientAddressOf(request)
          })
          if (completed.outcome === "broken_off") {
            return clearLoginCookie(redirectTo(withLoginError(completed.returnTo, completed.error)))
          }
          return clearLoginCookie(putSessionCookie(completed.secret)(redirectTo(completed.returnTo)))
        },
        Effect.tapError((error) => countRefusal("login", error)),
        Effect.catchTags({
          ProviderUnknown: notFound,
          ProviderUnreachable: unreachable,
          LoginStateInvalid: ({ detail }) => stateInvalid(detail),
          LoginRefused: ({ detail }) => stateInvalid(detail),
          NotInvited: ({ detail }) => new Forbidden({ code: "not_invited", detail })
        })
      )
    })
  })
)
