import { IdentityProvider, ProviderUnknown, ProviderUnreachable } from "@agent-platform/keys"
import { Effect, Layer } from "effect"
import { type GitHubOptions, makeGitHubProvider } from "./GitHubProvider.ts"
import { makeOpenIdProvider, type OpenIdOptions } from "./OpenIdProvider.ts"
import type { Provider } from "./Provider.ts"

/** The providers of a deployment. */
export interface OAuthOptions {
  /** Issuers of OpenID Connect, by the names that stand in the addresses of logins, such as `google`. */
  readonly openId?: Readonly<Record<string, OpenIdOptions>> | undefined
  readonly github?: GitHubOptions | undefined
}

/** How long all requests of one step of a login may take together, in seconds. */
const STEP_SECONDS_MAX = 20

const tooSlow = () => new ProviderUnreachable({ detail: `It did not answer within ${STEP_SECONDS_MAX} seconds` })

/** Bounds the time of one step of a login. */
const step = <A, E>(asked: Effect.Effect<A, E>) =>
  Effect.timeoutOrElse(asked, { duration: `${STEP_SECONDS_MAX} seconds`, orElse: () => Effect.fail(tooSlow()) })

/** Identity providers over openid-client. Nothing is asked of them before somebody logs in. */
export const layer = (options: OAuthOptions): Layer.Layer<IdentityProvider> =>
  Layer.effect(
    IdentityProvider,
    Effect.gen(function* () {
      const providers = new Map<string, Provider>()
      for (const [name, issuer] of Object.entries(options.openId ?? {})) {
        providers.set(name, yield* makeOpenIdProvider(issuer))
      }
      if (options.github !== undefined) providers.set("github", makeGitHubProvider(options.github))

      const find = (name: string): Effect.Effect<Provider, ProviderUnknown> => {
        const provider = providers.get(name)
        return provider === undefined ? Effect.fail(new ProviderUnknown()) : Effect.succeed(provider)
      }

      return IdentityProvider.of({
        providers: [...providers.keys()],
        authorizeUrl: (name, request) =>
          Effect.flatMap(find(name), (provider) =>
            step(provider.authorizeUrl(request)).pipe(
              // The person has not been asked yet, so a refusal can only mean that the provider does not work.
              Effect.catchTag("LoginRefused", ({ detail }) => Effect.fail(new ProviderUnreachable({ detail })))
            )
          ),
        identify: (name, request) => Effect.flatMap(find(name), (provider) => step(provider.identify(request)))
      })
    })
  )
