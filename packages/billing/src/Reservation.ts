/** The amount that is reserved for a call under way. */
import type { DateTime } from "effect"
import type { Span } from "./BillingMonth.ts"
import type { CallOrigin } from "./LedgerEntry.ts"
import { addUsd, ZERO_USD } from "./Money.ts"
import type { WorstRates } from "./Price.ts"
import type { TokenUsage } from "./TokenUsage.ts"

/**
 * How long a reservation waits for its settlement, in minutes: well beyond the longest that a call may take. A call that is not
 * settled by then has lost its worker, and its reservation counts as its cost.
 */
export const RESERVATION_MINUTES = 30

/** A call that asks to be admitted. */
export interface NewReservation extends CallOrigin {
  readonly inputTokensMax: number
  /** Most output tokens that it asks for, and the fewest that are of use: it is admitted with as many as its caps leave. */
  readonly outputTokensMax: number
  readonly outputTokensMin: number
  /** The most that it can cost; null when the price is not known. */
  readonly rates: WorstRates | null
  readonly priceVersion: string | null
  /** The month that it counts for. */
  readonly period: Span
  readonly calledAt: DateTime.Utc
  /** The caps of the workspace for the month and of the run in all; null for no cap. */
  readonly workspaceCapUsd: string | null
  readonly runCapUsd: string | null
  /**
   * Whether it was made already, by somebody who reports it: once it is settled it counts as admitted, and nothing more is reserved.
   * With `whatever_caps` it is admitted whatever its caps leave.
   */
  readonly reported?: "within_caps" | "whatever_caps" | undefined
  /** How long the amount stays reserved without a settlement. */
  readonly holdSeconds: number
}

/** The limits of an admitted call: the output tokens that it may ask for, and the amount that is reserved for just these. */
export interface Granted {
  readonly outputTokensMax: number
  /** In USD; null when the price is not known. */
  readonly amountUsd: string | null
}

/** A call that was admitted and is not settled. */
export interface Reservation
  extends Omit<
      NewReservation,
      "outputTokensMin" | "rates" | "period" | "workspaceCapUsd" | "runCapUsd" | "reported" | "holdSeconds"
    >,
    Granted {
  readonly seq: number
  readonly periodStart: DateTime.Utc
}

/** The most that an admitted call can have used: all that it was admitted for. */
export const estimateOf = (call: Pick<Reservation, "inputTokensMax" | "outputTokensMax">): TokenUsage => ({
  inputTokens: call.inputTokensMax,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: call.outputTokensMax,
  reasoningTokens: 0
})

/** The amount that is reserved for a call: zero without a known price. */
export const heldFor = (amountUsd: string | null): string => addUsd(amountUsd ?? ZERO_USD)
