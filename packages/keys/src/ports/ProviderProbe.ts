import type { UrlNotPublic } from "@agent-platform/kernel"
import { Context, type Effect, type Redacted } from "effect"
import type { Provider } from "../ProviderKey.ts"
import type { ProbeOutcome } from "../ProviderKeyHealth.ts"

/** A key to ask its provider about. */
export interface ProbeQuestion {
  readonly provider: Provider
  /** Where the key is served; null for a provider that has one address. */
  readonly baseUrl: string | null
  readonly key: Redacted.Redacted
}

/** Asks providers about keys. Never called inside a transaction. */
export class ProviderProbe extends Context.Service<
  ProviderProbe,
  {
    /** Admits the base URL of a server that a customer names: https, at public addresses only. */
    readonly admit: (baseUrl: string) => Effect.Effect<void, UrlNotPublic>
    /**
     * Asks the provider whether it takes the key, by a call that costs nothing, and ends within 15 seconds. The key that is
     * asked about is sent and no other: an empty one is rejected without a call. The answer holds no part of the key, though
     * a provider may repeat it.
     */
    readonly probe: (question: ProbeQuestion) => Effect.Effect<ProbeOutcome>
  }
>()("@agent-platform/keys/ProviderProbe") {}
