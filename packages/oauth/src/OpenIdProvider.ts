/** Logins by OpenID Connect: Google, and any other issuer that describes itself. */
import type { AuthorizeRequest, IdentifyRequest, Identity } from "@agent-platform/keys"
import { Effect, Redacted } from "effect"
import * as client from "openid-client"
import { boundedFetch } from "./boundedFetch.ts"
import { makeDiscovery } from "./Discovery.ts"
import { asking, authorizeParameters, isInsecure, nameOf, type Provider, REQUEST_SECONDS_MAX } from "./Provider.ts"

/** The platform as a client of an OpenID Connect provider. */
export interface OpenIdOptions {
  /** Exactly as it calls itself in its discovery document, such as `https://accounts.google.com`. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null)

/** A provider that its discovery document describes, which is read when the first person logs in. */
export const makeOpenIdProvider = (options: OpenIdOptions): Effect.Effect<Provider> => {
  const discover = async () => {
    const found = await client.discovery(
      new URL(options.issuer),
      options.clientId,
      Redacted.value(options.clientSecret),
      undefined,
      {
        timeout: REQUEST_SECONDS_MAX,
        [client.customFetch]: boundedFetch,
        // Settings made here hold for all requests of the configuration.
        execute: isInsecure(options.issuer) ? [client.allowInsecureRequests] : []
      }
    )
    // TLS to the token endpoint would vouch for the ID token; the signature does so whatever lies in between.
    client.enableNonRepudiationChecks(found)
    return found
  }

  const authorizeUrl = async (found: client.Configuration, request: AuthorizeRequest) =>
    client.buildAuthorizationUrl(found, {
      ...authorizeParameters(request),
      scope: "openid email profile",
      nonce: request.nonce
    }).href

  const identify = async (found: client.Configuration, request: IdentifyRequest) => {
    const tokens = await client.authorizationCodeGrant(found, new URL(request.callbackUrl), {
      expectedState: request.state,
      expectedNonce: request.nonce,
      pkceCodeVerifier: request.codeVerifier,
      idTokenExpected: true
    })
    const claims = tokens.claims()
    if (claims === undefined) throw new TypeError("There is no ID token")
    // Some providers put the address into the ID token, others only into the user info.
    const profile =
      claims["email"] === undefined && found.serverMetadata().userinfo_endpoint !== undefined
        ? await client.fetchUserInfo(found, tokens.access_token, claims.sub)
        : claims
    const email = textOrNull(profile["email"])
    const identity: Identity = {
      issuer: claims.iss,
      subject: claims.sub,
      email,
      emailVerified: email !== null && profile["email_verified"] === true,
      name: nameOf([profile["name"], profile["preferred_username"]], email ?? claims.sub)
    }
    return identity
  }

  return Effect.map(makeDiscovery(asking(discover)), (configuration) => ({
    authorizeUrl: (request) => Effect.flatMap(configuration, (found) => asking(() => authorizeUrl(found, request))),
    identify: (request) => Effect.flatMap(configuration, (found) => asking(() => identify(found, request)))
  }))
}
