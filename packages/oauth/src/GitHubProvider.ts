/** Logins by OAuth 2 as GitHub does it: no ID token, so the person is read from its API. */
import type { Identity } from "@agent-platform/keys"
import { Option, Redacted, Schema } from "effect"
import * as client from "openid-client"
import { boundedFetch } from "./boundedFetch.ts"
import { asking, authorizeParameters, isInsecure, nameOf, type Provider, restrict } from "./Provider.ts"

/** The platform as an OAuth app of GitHub, or of a GitHub Enterprise Server. */
export interface GitHubOptions {
  /** Where people log in, such as `https://github.com`; also the issuer of its identities. */
  readonly url: string
  /** Where its API is, such as `https://api.github.com`. */
  readonly apiUrl: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

const Person = Schema.Struct({ id: Schema.Int, login: Schema.String, name: Schema.NullishOr(Schema.String) })

const Emails = Schema.Array(Schema.Struct({ email: Schema.String, primary: Schema.Boolean, verified: Schema.Boolean }))

const HEADERS = { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" }

const decodeError = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ error: Schema.Unknown })))

/** GitHub refuses a code with status 200 and an `error` in the body. The library reads errors only under an error status: it gets 400. */
const fetchWithErrorStatus: client.CustomFetch = async (url, options) => {
  const response = await boundedFetch(url, options)
  if (response.status !== 200 || options.method !== "POST") return response
  const text = await response.text()
  const status = Option.isSome(decodeError(text)) ? 400 : 200
  return new Response(text, { headers: response.headers, status })
}

/** Logins by GitHub. Its API says who the person is, their primary address, and whether that is verified. */
export const makeGitHubProvider = (options: GitHubOptions): Provider => {
  const configuration = restrict(
    new client.Configuration(
      {
        issuer: options.url,
        authorization_endpoint: `${options.url}/login/oauth/authorize`,
        token_endpoint: `${options.url}/login/oauth/access_token`
      },
      options.clientId,
      Redacted.value(options.clientSecret)
    ),
    isInsecure(options.url) || isInsecure(options.apiUrl)
  )
  configuration[client.customFetch] = fetchWithErrorStatus

  /** Reads a resource of the API; `S` is its schema. */
  const read = async <S extends Schema.Top & { readonly DecodingServices: never }>(
    schema: S,
    token: string,
    path: string
  ): Promise<S["Type"]> => {
    const url = new URL(options.apiUrl + path)
    const headers = new Headers(HEADERS)
    const response = await client.fetchProtectedResource(configuration, token, url, "GET", undefined, headers)
    if (response.status !== 200) throw new TypeError(`${path} answers ${response.status}`)
    const decoded = Schema.decodeUnknownOption(schema)(await response.json())
    if (Option.isNone(decoded)) throw new TypeError(`${path} answers in another form`)
    return decoded.value
  }

  return {
    authorizeUrl: (request) =>
      asking(
        async () =>
          client.buildAuthorizationUrl(configuration, {
            ...authorizeParameters(request),
            scope: "read:user user:email"
          }).href
      ),

    identify: (request) =>
      asking(async () => {
        const tokens = await client.authorizationCodeGrant(configuration, new URL(request.callbackUrl), {
          expectedState: request.state,
          pkceCodeVerifier: request.codeVerifier
        })
        const person = await read(Person, tokens.access_token, "/user")
        const emails = await read(Emails, tokens.access_token, "/user/emails?per_page=100")
        const primary = emails.find((one) => one.primary)
        const identity: Identity = {
          issuer: options.url,
          // The login name can be given up and taken by somebody else; the number cannot.
          subject: String(person.id),
          email: primary?.email ?? null,
          emailVerified: primary?.verified ?? false,
          name: nameOf([person.name, person.login], String(person.id))
        }
        return identity
      })
  }
}
