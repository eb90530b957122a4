import { Context, type Effect } from "effect"
import type { EventId } from "../Ids.ts"
import type { Transaction } from "./UnitOfWork.ts"

/** The signal that there are events to be dispatched. Releases before migration 22 raise and hear it under this name, too. */
export const EVENTS_ADDED = "events.dispatch"

/** An event that was taken to dispatch it. `attempt` is part of its fence: one that was retaken is no longer this one. */
export interface TakenEvent {
  readonly id: EventId
  /** 1 for who takes it first. */
  readonly attempt: number
}

/**
 * Events that are still to be brought to whoever subscribed to them. To take and to release are acts of their own, not part of
 * anybody's transaction. Held by `outboxContract`.
 */
export class Outbox extends Context.Service<
  Outbox,
  {
    /** Adds events, each of them once, in the transaction that appends them to the log, and raises `EVENTS_ADDED`. */
    readonly add: (...ids: ReadonlyArray<EventId>) => Effect.Effect<void, never, Transaction>
    /**
     * Takes up to `max` events that nobody holds, about in the order of their ids. One is held until it is completed or
     * released, or until its holder's process is gone: then whoever takes next has it within 15 seconds.
     */
    readonly take: (max: number) => Effect.Effect<ReadonlyArray<TakenEvent>>
    /**
     * Takes events out in the transaction of what they came to, and answers the ids of those taken out. One that was retaken
     * meanwhile is not this holder's any more: it is left alone and missing from the answer.
     */
    readonly complete: (events: ReadonlyArray<TakenEvent>) => Effect.Effect<ReadonlySet<EventId>, never, Transaction>
    /** Hands events back, for anybody to take. Where that fails they are handed back as soon as it can be done. */
    readonly release: (events: ReadonlyArray<TakenEvent>) => Effect.Effect<void>
    /** The first by its id of the events that are not completed, whoever holds it; undefined without one. */
    readonly oldest: Effect.Effect<EventId | undefined>
  }
>()("@agent-platform/kernel/Outbox") {}
