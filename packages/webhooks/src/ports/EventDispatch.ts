import type { EventRecord, TakenEvent } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { Recipient } from "../SendableDelivery.ts"

/** Events that were taken from the outbox, with everything that their deliveries are made of. */
export interface TakenEvents {
  readonly events: ReadonlyArray<{
    readonly taken: TakenEvent
    /** Undefined where it is not kept any more. */
    readonly record: EventRecord | undefined
  }>
  /** All endpoints, but deleted ones, of the organizations that these events concern. */
  readonly recipients: ReadonlyArray<Recipient>
}

/**
 * Takes events from the outbox for a delivery worker. One step instead of three, because each is a wait for the store between the commit of
 * an event and its receiver. Held by `eventDispatchContract`.
 */
export class EventDispatch extends Context.Service<
  EventDispatch,
  {
    /** `Outbox.take`, with the records of the events and the endpoints as they are once the events are taken. */
    readonly take: (max: number, leaseSeconds?: number) => Effect.Effect<TakenEvents>
  }
>()("@agent-platform/webhooks/EventDispatch") {}
