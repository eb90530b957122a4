import type { Uuid } from "@agent-platform/kernel"
import { Context, type DateTime, Effect, Layer, Schema } from "effect"
import type { Run, Usage } from "../Run.ts"

/**
 * The provider key that pays: one of the workspace's own, named by its id, or the platform's. The id is null where an agent of the
 * workspace has called by itself, with a key that the platform does not have.
 */
export type CallPayer = { readonly source: "byok"; readonly keyId: string | null } | { readonly source: "platform" }

/** A model call that is about to be made for a run. */
export interface ModelCall {
  /** Fresh for every request that is sent, also for one that is sent again. */
  readonly id: typeof Uuid.Type
  /** The run as it was claimed: its workspace, its agent, its attempt and its cap. */
  readonly run: Run
  /** OpenTelemetry's `gen_ai.provider.name`: `openai`, `anthropic`, `gcp.gemini`, or the name of another. */
  readonly provider: string
  /** The model as it is asked for. */
  readonly requestModel: string
  readonly payer: CallPayer
  /** Most tokens that the call can take in. */
  readonly inputTokensMax: number
  /** Most output tokens that it asks for, and the fewest that are of use: caps may leave it fewer than it asks for. */
  readonly outputTokensMax: number
  readonly outputTokensMin: number
  /**
   * The output tokens that similar calls usually needed. While caps leave fewer, the call waits for others to be settled.
   * `outputTokensMin` unless given.
   */
  readonly outputTokensUsual?: number | undefined
  /**
   * Given for a call that an agent has made already and only reports, perhaps several times: it is counted once. `within_caps` refuses it
   * where the caps leave too little, `whatever_caps` does not.
   */
  readonly reported?: "within_caps" | "whatever_caps" | undefined
}

/** The limits of an admitted call: it asks its model for so many output tokens and no more. */
export interface Admitted {
  readonly outputTokensMax: number
}

/** Upper bounds of a call's tokens where its provider did not count them; an undefined one stands for all that was reserved. */
export interface SeenTokens {
  readonly inputTokensMax: number | undefined
  readonly outputTokensMax: number | undefined
}

/** How a model call ended. */
export interface ModelCallEnd {
  readonly status: "ok" | "error" | "aborted"
  /** Without secrets; null unless the call failed. */
  readonly errorCode: string | null
  readonly finishReason: string | null
  /** The model that answered, if the provider said. */
  readonly responseModel: string | null
  readonly startedAt: DateTime.Utc
  readonly durationMillis: number
  readonly timeToFirstTokenMillis: number | null
  /**
   * The provider's count; undefined when it gave none, as in a stream that was cut. Then the tokens that were `seen` count as used, at
   * most those that were reserved, and none where `sent` is false.
   */
  readonly usage: Omit<Usage, "requests"> | undefined
  readonly seen?: SeenTokens | undefined
  /** Whether the provider can have worked at all; false for a connection refused or a key rejected. */
  readonly sent: boolean
}

/** The call must not be made: a cap is reached or leaves too little for it, or nobody knows its price and there is a cap to keep. */
export class SpendRefused extends Schema.TaggedError<SpendRefused>()("SpendRefused", {
  errorCode: Schema.Literals(["cap_reached", "call_exceeds_cap", "model_unpriced"]),
  detail: Schema.String
}) {}

/** Admits every model call under the caps, and counts its cost. Implemented by a domain that knows prices and caps. */
export class SpendGuard extends Context.Service<
  SpendGuard,
  {
    /**
     * Reserves the most that the call can cost, from the workspace's cap of the month and from the run's. Returns how many output
     * tokens that is for: as many as it asks for, or as the caps leave. A call that does not fit waits up to 5 s for others to be
     * settled. An unsettled reservation counts as used after half an hour, so no call may take longer.
     */
    readonly reserve: (call: ModelCall) => Effect.Effect<Admitted, SpendRefused>
    /**
     * Counts the call, once, in a transaction of its own: its tokens and its cost in USD, in the ledger and on the run, and
     * releases its reservation. Settling it again changes nothing.
     */
    readonly settle: (call: ModelCall, end: ModelCallEnd) => Effect.Effect<{ readonly costUsd: string | null }>
  }
>()("@agent-platform/runs/SpendGuard") {
  /** For deployments in which nobody counts what model calls cost: every call is admitted, and none has a price. */
  static readonly layerUnmetered: Layer.Layer<SpendGuard> = Layer.succeed(SpendGuard, {
    reserve: ({ outputTokensMax }) => Effect.succeed({ outputTokensMax }),
    settle: () => Effect.succeed({ costUsd: null })
  })
}
