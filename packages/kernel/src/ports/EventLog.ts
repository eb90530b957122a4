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
  }
>()("@agent-platform/kernel/EventLog") {
  /** For hosts that deliver no events: they are not kept. Goes with `Outbox.layerNone`. */
  static readonly layerNone: Layer.Layer<EventLog> = Layer.succeed(EventLog, {
    append: () => Effect.void,
    find: () => Effect.succeed([])
  })
}
