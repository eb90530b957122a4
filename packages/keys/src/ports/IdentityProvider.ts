import { Context, Effect, Layer, Schema } from "effect"

/** A person as an identity provider knows them. */
export interface Identity {
  /** Who vouches: the issuer of OpenID Connect, or the provider's own address. */
  readonly issuer: string
  /** Who the person is there, for ever; never the e-mail address. */
  readonly subject: string
  /** Null where the provider gives none. */
  readonly email: string | null
  /** Whether the provider has made sure that the address is the person's. False without an address. */
  readonly emailVerified: boolean
  /** The name by which the person is addressed; never empty. */
  readonly name: string
}

/** The parameters that a login sends along to the provider. */
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

/** The provider does not answer, or not as a provider should. `detail` is for the log and holds no secret. */
export class ProviderUnreachable extends Schema.TaggedError<ProviderUnreachable>()("ProviderUnreachable", {
  detail: Schema.String
}) {}

/**
 * Who a person is, by the word of a third party. The only network that `keys` uses; never called within a transaction.
 * Every call ends within 25 seconds.
 */
export class IdentityProvider extends Context.Service<
  IdentityProvider,
  {
    /** The names of the providers that are configured, such as `google`. */
    readonly providers: ReadonlyArray<string>
    /** Where to send the browser. */
    readonly authorizeUrl: (
      provider: string,
      request: AuthorizeRequest
    ) => Effect.Effect<string, ProviderUnknown | ProviderUnreachable>
    /**
     * Takes the code out of the callback to the provider and reads who the person is. Refuses unless state, issuer, code
     * verifier and (with OpenID Connect) nonce, audience, times and signature all hold. Keeps no token.
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
