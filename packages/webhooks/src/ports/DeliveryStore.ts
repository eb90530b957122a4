import type { EventId, OrganizationId, Transaction } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { Attempt, AttemptMade, DeadReason, Delivery } from "../Delivery.ts"
import type { Endpoint, EndpointId } from "../Endpoint.ts"
import type { EndpointHealth } from "../EndpointHealth.ts"

/** An endpoint that events are handed out to, and how it stands at this moment. */
export interface Recipient {
  readonly endpoint: Endpoint
  /** See `EndpointHealth`. */
  readonly failingSince: DateTime.Utc | null
}

/** A delivery and all that it takes to attempt it. */
export interface SendableDelivery extends Recipient {
  readonly delivery: Delivery
  /** The exact bytes to sign and send; null when the event is not kept any more. */
  readonly body: string | null
  /** The `traceparent` of what its event reports, where that is recorded. */
  readonly trace?: string | undefined
}

/** A delivery that its claimer, and nobody else, may attempt now. */
export interface ClaimedDelivery extends SendableDelivery {
  /** Fresh for every claim. Whoever settles shows it; a claim that was lost settles nothing. */
  readonly claimToken: string
}

/** A delivery as its first attempt left it. */
export interface AttemptedDelivery {
  readonly delivery: Delivery
  readonly attempt: AttemptMade
}

/** What an attempt made of a claimed delivery. How many attempts there were by then, the store knows. */
export interface SettledDelivery extends AttemptedDelivery {
  readonly claimToken: string
}

/** What identifies a delivery. */
export interface DeliveryKey {
  readonly endpointId: EndpointId
  readonly eventId: EventId
}

/** What a claimer has room for. */
export interface ClaimRoom {
  readonly max: number
  /** For each endpoint and for each organization, unless `rooms` says otherwise. */
  readonly perEndpoint: number
  readonly perOrganization: number
  /** Endpoints that have less room than others, none included. */
  readonly rooms: ReadonlyMap<EndpointId, number>
  readonly leaseSeconds: number
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
    /** The endpoints that are not deleted of the organizations that these events concern; unknown events are left out. */
    readonly recipients: (eventIds: ReadonlyArray<EventId>) => Effect.Effect<ReadonlyArray<Recipient>>
    /** Those of these deliveries that are here already. */
    readonly existing: (keys: ReadonlyArray<DeliveryKey>) => Effect.Effect<ReadonlyArray<DeliveryKey>>
    /** Inserts deliveries; one that exists already is left as it is, so handing an event out twice is harmless. */
    readonly insert: (deliveries: ReadonlyArray<Delivery>) => Effect.Effect<void, never, Transaction>
    /**
     * Inserts deliveries that were attempted before they were here, each with that attempt as its first. One that exists
     * already is left as it is, and the attempt is dropped: somebody else is at it, or was.
     */
    readonly insertAttempted: (attempted: ReadonlyArray<AttemptedDelivery>) => Effect.Effect<void, never, Transaction>
    /**
     * Inserts deliveries that the caller is attempting, claimed by it for `leaseSeconds`, and answers the claims' tokens
     * in the same order: undefined for one that exists already, which is left as it is. The claim on one that is not
     * pending serves to add the record of the attempt, as one that was voided does.
     */
    readonly insertClaimed: (
      deliveries: ReadonlyArray<Delivery>,
      leaseSeconds: number
    ) => Effect.Effect<ReadonlyArray<string | undefined>, never, Transaction>
    /**
     * Claims pending deliveries that are due, oldest due first, as many as there is room for. A claim holds until it is
     * settled or `leaseSeconds` are over unrenewed. What is due and when a lease is over is judged by the store's own
     * clock, so that the clocks of workers do not matter.
     */
    readonly claimDue: (room: ClaimRoom) => Effect.Effect<ReadonlyArray<ClaimedDelivery>>
    /** Renews claims that nobody has taken over, for `leaseSeconds` from now. */
    readonly renew: (claimTokens: ReadonlyArray<string>, leaseSeconds: number) => Effect.Effect<void>
    /**
     * Writes what attempts came to, and answers the tokens of those whose claim still held. Of an attempt whose delivery
     * was replayed or marked dead meanwhile the record is added, and the delivery stays as it is.
     */
    readonly settle: (settled: ReadonlyArray<SettledDelivery>) => Effect.Effect<ReadonlySet<string>, never, Transaction>
    /** Gives claims back unattempted; the deliveries are due as before. */
    readonly release: (claimTokens: ReadonlyArray<string>) => Effect.Effect<void>
    /**
     * How these endpoints stand. Until the transaction ends nobody changes them or their health, so that what is written
     * under their status stays right. Called before any delivery of theirs is written. Unknown ones are left out.
     */
    readonly healthToChange: (
      endpoints: ReadonlyArray<{ readonly organizationId: OrganizationId; readonly endpointId: EndpointId }>
    ) => Effect.Effect<ReadonlyArray<EndpointHealth>, never, Transaction>
    /** Writes `failingSince` and `deadNoticeAt` of what `healthToChange` answered. */
    readonly saveHealth: (health: ReadonlyArray<EndpointHealth>) => Effect.Effect<void, never, Transaction>
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
     * Puts a replayed delivery in place of what is there and voids any claim on it: an attempt that is under way is
     * still recorded when it is settled, and changes nothing else. Undefined when there is none.
     * `change` sees the delivery as it is while nobody else can alter it.
     */
    readonly update: (
      endpointId: EndpointId,
      eventId: EventId,
      change: (delivery: Delivery) => Delivery
    ) => Effect.Effect<Delivery | undefined, never, Transaction>
    /**
     * Milliseconds until the next pending delivery comes due or its claim runs out, by the store's clock; not above zero
     * while one is due, undefined when none is pending.
     */
    readonly millisUntilDue: Effect.Effect<number | undefined>
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
