import type { UrlNotPublic } from "@agent-platform/kernel"
import { Context, type Effect, type Redacted } from "effect"
import type { Provider } from "../ProviderKey.ts"
import type { ProbeOutcome } from "../ProviderKeyHealth.ts"

/** A key about which its provider is asked. */
export interface ProbeQuestion {
  readonly provider: Provider
  /** The address of the server for a key of `azure` or `openai_compatible`; null for the others. */
  readonly baseUrl: string | null
  readonly key: Redacted.Redacted
}

/** Asks providers about keys. Never called inside a transaction. */
export class ProviderProbe extends Context.Service<
  ProviderProbe,
  {
    /** Checks the base URL that a customer gives for a server: https, at public addresses only. */
    readonly admit: (baseUrl: string) => Effect.Effect<void, UrlNotPublic>
    /**
     * Asks the provider whether it takes the key, by a call that costs nothing, within 15 seconds. No other key is ever sent: an
     * empty one is rejected without a call. The result holds no part of the key, even if the provider repeats it.
     */
    readonly probe: (question: ProbeQuestion) => Effect.Effect<ProbeOutcome>
  }
>()("@agent-platform/keys/ProviderProbe") {}
