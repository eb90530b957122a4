import type { Embedded } from "../internal/Embedded.ts"

/** The tokens of a call. Input includes what the cache gave and took, output includes reasoning. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
  readonly reasoningTokens?: number
}

/** A call that is about to be made. */
export interface MeteredCall<Model extends string = string> {
  /** A text of 1 to 256 bytes. */
  readonly customer: string
  readonly model: Model
  /** The most tokens that the call can take and return. Their cost is held back while the call is under way. */
  readonly maxTokens: { readonly input: number; readonly output: number }
}

/** How a customer stands in the month, UTC. Amounts are USD as decimals. */
export interface CustomerSpend {
  readonly customer: string
  /** As in `2026-11`. */
  readonly month: string
  readonly spentUsd: string
  /** Held back for calls that are under way. */
  readonly heldBackUsd: string
  /** Null for no cap. */
  readonly capUsd: string | null
}

/** Billing of a host's customers. Every method rejects with `EmbedError` where it refuses. */
export interface EmbeddedBilling<Model extends string = string> extends Embedded {
  /** Starts to settle calls that were lost with their process, and to prepare months, in this process until `close`. */
  readonly start: () => Promise<void>
  /**
   * Holds back the most that the call can cost, sends it, settles it by the `usage` of the answer, and returns the answer. Before
   * anything is sent it rejects with `call_exceeds_cap`, or with `cap_reached` once 95 % of the cap are spent; where calls under way
   * may still free enough, it waits for that for 5 seconds at most. Without a usage, and where `send` rejects, all that was held
   * back counts as spent; what `send` throws is thrown as it is.
   */
  readonly metered: <Answer extends { readonly usage?: Usage | undefined }>(
    call: MeteredCall<Model>,
    send: () => PromiseLike<Answer>
  ) => Promise<Answer>
  readonly spend: (customer: string) => Promise<CustomerSpend>
  /** Gives a customer a cap of its own for each month, in USD as a decimal, or null for none. It holds for the very next call. */
  readonly setCap: (customer: string, capUsd: string | null) => Promise<CustomerSpend>
}
