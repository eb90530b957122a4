import type { Transaction } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"

/** The outcome of forgetting, in months as `2026-11`, oldest first. */
export interface Forgotten {
  readonly forgotten: ReadonlyArray<string>
  /** Months that are old enough, and kept because a delivery in them is pending. */
  readonly kept: ReadonlyArray<string>
}

/**
 * Events, deliveries and attempts by the month (UTC) in which their events happened, so that old ones are forgotten a month
 * at a time. Held by `deliveryHistoryContract`.
 */
export class DeliveryHistory extends Context.Service<
  DeliveryHistory,
  {
    /**
     * Prepares every month from that of `from` to that of `to`; a prepared month stays as it is. Events of other months are
     * kept all the same, though it may take longer to find and to forget them.
     */
    readonly prepare: (from: DateTime.Utc, to: DateTime.Utc) => Effect.Effect<void, never, Transaction>
    /**
     * Forgets the events of months that were over at `before`, with their deliveries and attempts. A pending delivery, its
     * attempts and its event are never forgotten, and the rest of its month need not be.
     */
    readonly forget: (before: DateTime.Utc) => Effect.Effect<Forgotten, never, Transaction>
  }
>()("@agent-platform/webhooks/DeliveryHistory") {}
