import { Context, Effect, Layer } from "effect"
import type { EventId } from "../Ids.ts"
import type { Transaction } from "./UnitOfWork.ts"

/** The signal that there are events to be dispatched. */
export const EVENTS_ADDED = "events.dispatch"

/** The lease of an event, by default. Nobody renews it: what takes a second gets a row of its own. */
export const OUTBOX_LEASE_SECONDS = 12

/** An event that was taken to dispatch it. */
export interface TakenEvent {
  readonly id: EventId
  /** 1 for the first take. */
  readonly attempt: number
  /** Fresh for every take. Only under the token of its last take can an event be completed or released. */
  readonly token: string
}

/**
 * Events that are still to be dispatched to the endpoints that subscribed to them. Taking and releasing commit by themselves,
 * outside of any transaction of the caller. Held by `outboxContract`.
 */
export class Outbox extends Context.Service<
  Outbox,
  {
    /** Adds events, each of them once, in the transaction that appends them to the log, and raises `EVENTS_ADDED`. */
    readonly add: (...ids: ReadonlyArray<EventId>) => Effect.Effect<void, never, Transaction>
    /**
     * Takes up to `max` free events, about in the order of their ids. One is taken until it is completed or released, or until
     * `leaseSeconds` are over by the outbox's own clock: then it is free again, and its taker dead or too late.
     */
    readonly take: (max: number, leaseSeconds?: number) => Effect.Effect<ReadonlyArray<TakenEvent>>
    /**
     * Removes events in the transaction that writes their deliveries, and returns the ids of those removed. An event that was
     * retaken meanwhile is left alone and missing from these; one whose lease is over and that nobody retook is removed.
     */
    readonly complete: (events: ReadonlyArray<TakenEvent>) => Effect.Effect<ReadonlySet<EventId>, never, Transaction>
    /** Hands events back before their lease is over, for anybody to take. */
    readonly release: (events: ReadonlyArray<TakenEvent>) => Effect.Effect<void>
    /** The first by its id of the events that are not completed, taken or not; undefined without one. */
    readonly oldest: Effect.Effect<EventId | undefined>
  }
>()("@agent-platform/kernel/Outbox") {
  /** For hosts that deliver no events: there are none to dispatch. Goes with `EventLog.layerNone`. */
  static readonly layerNone: Layer.Layer<Outbox> = Layer.succeed(Outbox, {
    add: () => Effect.void,
    take: () => Effect.succeed([]),
    complete: () => Effect.succeed(new Set()),
    release: () => Effect.void,
    oldest: Effect.succeed(undefined)
  })
}
