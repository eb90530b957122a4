import type { EventId, Transaction } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { Attempt, Delivery } from "../Delivery.ts"
import type { Endpoint, EndpointId } from "../Endpoint.ts"

/** A delivery that its claimer, and nobody else, may attempt now. */
export interface ClaimedDelivery {
  readonly delivery: Delivery
  /** Fresh for every claim. Whoever settles shows it; a claim that was lost settles nothing. */
  readonly claimToken: string
  readonly endpoint: Endpoint
  /** The exact bytes to sign and send. */
  readonly body: string
}

/** What an attempt made of a claimed delivery. */
export interface SettledDelivery {
  readonly claimToken: string
  readonly delivery: Delivery
  readonly attempt: Attempt
}

/** Keeps deliveries and their attempts. Held by `deliveryStoreContract`. */
export class DeliveryStore extends Context.Service<
  DeliveryStore,
  {
    /** Inserts deliveries; one that exists already is left as it is, so handing an event out twice is harmless. */
    readonly insert: (deliveries: ReadonlyArray<Delivery>) => Effect.Effect<void, never, Transaction>
    /**
     * Claims up to `max` pending deliveries that are due, oldest due first, at most `perEndpoint` of one endpoint and
     * none of the endpoints in `except`. A claim holds until it is settled or `leaseSeconds` are over unrenewed.
     */
    readonly claimDue: (options: {
      readonly max: number
      readonly perEndpoint: number
      readonly except: ReadonlyArray<EndpointId>
      readonly leaseSeconds: number
      readonly now: DateTime.Utc
    }) => Effect.Effect<ReadonlyArray<ClaimedDelivery>>
    /** Renews claims that still hold, for `leaseSeconds` from `now`. */
    readonly renew: (
      claimTokens: ReadonlyArray<string>,
      options: { readonly leaseSeconds: number; readonly now: DateTime.Utc }
    ) => Effect.Effect<void>
    /** Writes what attempts came to, and answers the tokens of those whose claim still held. */
    readonly settle: (settled: ReadonlyArray<SettledDelivery>) => Effect.Effect<ReadonlySet<string>, never, Transaction>
    /** Gives claims back unattempted; the deliveries are due as before. */
    readonly release: (claimTokens: ReadonlyArray<string>) => Effect.Effect<void>
    readonly find: (endpointId: EndpointId, eventId: EventId) => Effect.Effect<Delivery | undefined>
    /** The most recent deliveries, by the time of their events, newest first, each with all of its attempts. */
    readonly recent: (
      endpointId: EndpointId,
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly delivery: Delivery; readonly attempts: ReadonlyArray<Attempt> }>>
    /**
     * Puts a replayed delivery in place of what is there and voids any claim on it. Undefined when there is none.
     * `change` sees the delivery as it is while nobody else can alter it.
     */
    readonly update: (
      endpointId: EndpointId,
      eventId: EventId,
      change: (delivery: Delivery) => Delivery
    ) => Effect.Effect<Delivery | undefined, never, Transaction>
    /** When the next pending delivery comes due, or its claim runs out; undefined when none is pending. */
    readonly nextDueAt: Effect.Effect<DateTime.Utc | undefined>
    /** The attempts of one delivery, first to last. */
    readonly attempts: (endpointId: EndpointId, eventId: EventId) => Effect.Effect<ReadonlyArray<Attempt>>
  }
>()("@agent-platform/webhooks/DeliveryStore") {}
