import { Context, Effect, Layer, type Redacted } from "effect"
import type { Provider } from "../ProviderKey.ts"

/** A key of the platform's own. */
export interface PlatformKey {
  readonly value: Redacted.Redacted
  /** The address to call, for a provider whose keys have one; null for the provider's own. */
  readonly baseUrl: string | null
}

/** The platform's own keys for model providers, for workspaces that may use them. */
export class PlatformKeys extends Context.Service<
  PlatformKeys,
  {
    /** The platform's key for the provider; undefined when the operator has configured none. */
    readonly find: (provider: Provider) => Effect.Effect<PlatformKey | undefined>
  }
>()("@agent-platform/keys/PlatformKeys") {
  /** Provides these keys and no others. */
  static readonly layer = (keys: Readonly<Partial<Record<Provider, PlatformKey>>>): Layer.Layer<PlatformKeys> =>
    Layer.succeed(PlatformKeys, { find: (provider) => Effect.succeed(keys[provider]) })
}
