import { Context, Effect, Layer } from "effect"
import type { EventRecord } from "../Event.ts"
import type { EventId } from "../Ids.ts"
import type { Transaction } from "./UnitOfWork.ts"

/** Events as they were, shared by every delivery and replay. Held by `eventLogContract`. */
export class EventLog extends Context.Service<
  EventLog,
  {
    /** Appends events in the transaction of the changes that they report. */
    readonly append: (...events: ReadonlyArray<EventRecord>) => Effect.Effect<void, never, Transaction>
    /** The events with these ids, in no order; ids that are unknown are left out. */
    readonly find: (ids: ReadonlyArray<EventId>) => Effect.Effect<ReadonlyArray<EventRecord>>
    /**
     * The event with this id, which nobody erases until the transaction ends; undefined for one that is unknown, or erased by the time
     * that it could be had. What is written about it in the transaction is found by its erasure.
     */
    readonly hold: (id: EventId) => Effect.Effect<EventRecord | undefined, never, Transaction>
  }
>()("@agent-platform/kernel/EventLog") {
  /** For hosts that deliver no events: they are not kept. Goes with `Outbox.layerNone`. */
  static readonly layerNone: Layer.Layer<EventLog> = Layer.succeed(EventLog, {
    append: () => Effect.void,
    find: () => Effect.succeed([]),
    hold: () => Effect.undefined
  })
}
