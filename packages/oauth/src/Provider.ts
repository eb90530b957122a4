/** The port of one kind of provider, and the helpers shared by all kinds. */
import type {
  AuthorizeRequest,
  IdentifyRequest,
  Identity,
  LoginRefused,
  ProviderUnreachable
} from "@agent-platform/keys"
import { Effect } from "effect"
import * as client from "openid-client"
import { boundedFetch } from "./boundedFetch.ts"
import { failureOf } from "./failures.ts"

/** One identity provider. */
export interface Provider {
  readonly authorizeUrl: (request: AuthorizeRequest) => Effect.Effect<string, LoginRefused | ProviderUnreachable>
  readonly identify: (request: IdentifyRequest) => Effect.Effect<Identity, LoginRefused | ProviderUnreachable>
}

/** Runs a call of the library, and turns its rejections into failures of the port. */
export const asking = <A>(ask: () => Promise<A>): Effect.Effect<A, LoginRefused | ProviderUnreachable> =>
  Effect.tryPromise({ try: ask, catch: failureOf })

/** How long one answer of a provider may take, in seconds. */
export const REQUEST_SECONDS_MAX = 5

/** The parameters that every login sends to its provider. */
export const authorizeParameters = (request: AuthorizeRequest): Record<string, string> => ({
  redirect_uri: request.redirectUri,
  state: request.state,
  code_challenge: request.codeChallenge,
  code_challenge_method: "S256"
})

/** Whether the operator has configured a provider without TLS. The settings admit that on loopback alone. */
export const isInsecure = (url: string): boolean => new URL(url).protocol === "http:"

/** Bounds the time and the answers of a provider, and admits it without TLS where `insecure` says so. */
export const restrict = (configuration: client.Configuration, insecure: boolean): client.Configuration => {
  configuration.timeout = REQUEST_SECONDS_MAX
  configuration[client.customFetch] = boundedFetch
  if (insecure) client.allowInsecureRequests(configuration)
  return configuration
}

const NAME_LENGTH_MAX = 200

/** The first of the names that is a text with more than spaces, on one line; `otherwise` where there is none. */
export const nameOf = (names: ReadonlyArray<unknown>, otherwise: string): string => {
  const first = names
    .filter((name) => typeof name === "string")
    .map((name) =>
      name
        .toWellFormed()
        .replaceAll(/[\p{Cc}\s]+/gu, " ")
        .trim()
    )
    .find((name) => name !== "")
  return (first ?? otherwise).slice(0, NAME_LENGTH_MAX).toWellFormed()
}
