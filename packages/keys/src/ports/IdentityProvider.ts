import { Context, Effect, Layer, Schema } from "effect"

/** A person, as described by an identity provider. */
export interface Identity {
  /** The issuer of OpenID Connect, or the provider's own address. */
  readonly issuer: string
  /** The person's permanent id at the issuer; never the e-mail address. */
  readonly subject: string
  /** Null where the provider gives none. */
  readonly email: string | null
  /** Whether the provider has made sure that the address is the person's. False without an address. */
  readonly emailVerified: boolean
  /** The name by which the person is addressed; never empty. */
  readonly name: string
}

/** The parameters that a login sends to the provider. */
export interface AuthorizeRequest {
  readonly state: string
  readonly nonce: string
  /** The S256 challenge of PKCE. */
  readonly codeChallenge: string
  readonly redirectUri: string
}

/** The values that a login expects back. */
export interface IdentifyRequest extends Omit<AuthorizeRequest, "codeChallenge"> {
  /** `redirectUri` with the query that the provider sent the browser back with. */
  readonly callbackUrl: string
  readonly codeVerifier: string
}

/** No identity provider of this name is configured. */
export class ProviderUnknown extends Schema.TaggedError<ProviderUnknown>()("ProviderUnknown", {}) {}

/** The provider, or the check of what it said, refused the login. `detail` is for people and holds no secret. */
export class LoginRefused extends Schema.TaggedError<LoginRefused>()("LoginRefused", { detail: Schema.String }) {}

/** The provider does not answer, or its answer makes no sense. `detail` is for the log and holds no secret. */
export class ProviderUnreachable extends Schema.TaggedError<ProviderUnreachable>()("ProviderUnreachable", {
  detail: Schema.String
}) {}

/**
 * Identifies people through third parties. Its calls use the network, so they are never made within a transaction. Every call
 * ends within 25 seconds.
 */
export class IdentityProvider extends Context.Service<
  IdentityProvider,
  {
    /** The names of the providers that are configured, such as `google`. */
    readonly providers: ReadonlyArray<string>
    /** The URL to which the browser is sent. */
    readonly authorizeUrl: (
      provider: string,
      request: AuthorizeRequest
    ) => Effect.Effect<string, ProviderUnknown | ProviderUnreachable>
    /**
     * Exchanges the code of the callback with the provider and reads who the person is. Fails with LoginRefused unless state,
     * issuer, code verifier and (with OpenID Connect) nonce, audience, times and signature are all right. Keeps no token.
     */
    readonly identify: (
      provider: string,
      request: IdentifyRequest
    ) => Effect.Effect<Identity, ProviderUnknown | LoginRefused | ProviderUnreachable>
  }
>()("@agent-platform/keys/IdentityProvider") {
  /** For deployments without logins: no provider is configured. */
  static readonly layerNone: Layer.Layer<IdentityProvider> = Layer.succeed(IdentityProvider, {
    providers: [],
    authorizeUrl: () => Effect.fail(new ProviderUnknown()),
    identify: () => Effect.fail(new ProviderUnknown())
  })
}
