import { Context, Effect } from "effect"
import type { EndpointId } from "../Endpoint.ts"
import type { SendableDelivery } from "../SendableDelivery.ts"

/** A delivery that its claimer, and nobody else, may attempt now. */
export interface ClaimedDelivery extends SendableDelivery {
  /** Fresh for every claim, and shown by every settlement: a claim that was lost settles nothing. */
  readonly claimToken: string
}

/** How many deliveries a claimer takes at most. */
export interface ClaimLimits {
  readonly max: number
  /** The limit of each endpoint that `endpointLimits` does not name. */
  readonly perEndpoint: number
  readonly perOrganization: number
  /** The limits of single endpoints, in the place of `perEndpoint`; 0 lets nothing be claimed. */
  readonly endpointLimits: ReadonlyMap<EndpointId, number>
  readonly leaseSeconds: number
}

/** Hands out the deliveries that are due: to one claimer at a time, under a token and a lease. Held by `deliveryContract`. */
export class DeliveryQueue extends Context.Service<
  DeliveryQueue,
  {
    /**
     * Claims pending deliveries that are due, oldest due first, within the limits. A claim holds until it is
     * settled or `leaseSeconds` are over unrenewed. What is due and when a lease is over is judged by the store's own
     * clock, so that the clocks of workers do not matter.
     */
    readonly claimDue: (limits: ClaimLimits) => Effect.Effect<ReadonlyArray<ClaimedDelivery>>
    /** Renews claims that nobody has taken over, for `leaseSeconds` from now. */
    readonly renew: (claimTokens: ReadonlyArray<string>, leaseSeconds: number) => Effect.Effect<void>
    /** Gives claims back unattempted; the deliveries are due as before. */
    readonly release: (claimTokens: ReadonlyArray<string>) => Effect.Effect<void>
    /**
     * Milliseconds until the next pending delivery comes due or its claim runs out, by the store's clock; not above zero
     * while one is due, undefined when none is pending.
     */
    readonly millisUntilDue: Effect.Effect<number | undefined>
  }
>()("@agent-platform/webhooks/DeliveryQueue") {
  /**
   * A queue with defaults for what it can do without: claims that are not given back lapse, and without
   * `millisUntilDue` workers look each time that they poll.
   */
  static make(
    queue: Pick<DeliveryQueue["Service"], "claimDue" | "renew"> &
      Partial<Pick<DeliveryQueue["Service"], "release" | "millisUntilDue">>
  ): DeliveryQueue["Service"] {
    return DeliveryQueue.of({ release: () => Effect.void, millisUntilDue: Effect.succeed(undefined), ...queue })
  }
}
