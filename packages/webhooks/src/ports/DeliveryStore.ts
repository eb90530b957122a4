import type { EventId, Transaction } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { Attempt, DeadReason, Delivery } from "../Delivery.ts"
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

/** Deliveries of one endpoint whose events follow each other, as a range replay goes through them. */
export interface ReplayPortion {
  readonly endpointId: EndpointId
  /** Only deliveries of events whose ids come after this one and before the other, as texts: ids sort by time. */
  readonly after: string
  readonly before: string
  /** Only dead deliveries; else those in any state. */
  readonly deadOnly: boolean
  /** The first so many of them. */
  readonly limit: number
  /** When they become due. */
  readonly now: DateTime.Utc
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
    /**
     * The most recent deliveries, by the time of their events, newest first, each with its newest `ATTEMPTS_SHOWN_MAX`
     * attempts, first to last.
     */
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
    /** The newest `ATTEMPTS_SHOWN_MAX` attempts of one delivery, first to last. */
    readonly attempts: (endpointId: EndpointId, eventId: EventId) => Effect.Effect<ReadonlyArray<Attempt>>
    /**
     * Makes every pending delivery of the endpoint dead for this reason, and answers how many. Whoever has a claim on one
     * does not make it pending again. Called while `EndpointStore.findToChange` keeps the endpoint.
     */
    readonly markDead: (endpointId: EndpointId, reason: DeadReason) => Effect.Effect<number, never, Transaction>
    /**
     * Does to the deliveries of a portion what `replayed` does to one, and answers the events' ids, oldest first. Fewer
     * than `limit` means that there are no more. Called while `EndpointStore.findToChange` keeps the endpoint.
     */
    readonly replayPortion: (portion: ReplayPortion) => Effect.Effect<ReadonlyArray<EventId>, never, Transaction>
    /** How many of the endpoint's pending deliveries are due and claimed by nobody, counted up to `max`. */
    readonly countDue: (
      endpointId: EndpointId,
      options: { readonly max: number; readonly now: DateTime.Utc }
    ) => Effect.Effect<number>
  }
>()("@agent-platform/webhooks/DeliveryStore") {}
