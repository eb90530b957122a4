/** A range of deliveries on its way to being sent again, portion by portion. */
import { type EventId, type OrganizationId, Uuid } from "@agent-platform/kernel"
import { DateTime, Schema } from "effect"
import type { EndpointId } from "./Endpoint.ts"

export const ReplayId = Uuid.pipe(Schema.brand("ReplayId"))
export type ReplayId = typeof ReplayId.Type

/** Which deliveries of the range are sent again: the dead ones, or all in whatever state. */
export const ReplaySelection = Schema.Literals(["dead", "all"])
export type ReplaySelection = typeof ReplaySelection.Type

export const ReplayState = Schema.Literals(["pending", "running", "completed", "stopped"])
export type ReplayState = typeof ReplayState.Type

/** Why a replay stopped before its end. */
export const StopReason = Schema.Literals(["endpoint_deleted", "endpoint_disabled"])
export type StopReason = typeof StopReason.Type

/**
 * Most deliveries of one endpoint that a replay lets wait at once: it goes on when fewer are due. Live traffic has at most
 * so many before it, however long the range is.
 */
export const REPLAY_WAITING_MAX = 100

/** Most replays of one endpoint that have not ended. */
export const UNFINISHED_REPLAYS_MAX = 5

/** The request that deliveries of a range are sent again, and how far that has come. */
export interface Replay {
  readonly id: ReplayId
  readonly organizationId: OrganizationId
  readonly endpointId: EndpointId
  /** Events from this moment on, and before the other; both by when the events happened. */
  readonly since: DateTime.Utc
  readonly until: DateTime.Utc
  readonly selection: ReplaySelection
  readonly state: ReplayState
  readonly stateReason: StopReason | null
  /** The last event whose delivery was looked at; null before the first. Those behind it come later, if at all. */
  readonly position: EventId | null
  /** How many deliveries were made due so far. */
  readonly replayedCount: number
  readonly createdAt: DateTime.Utc
  readonly startedAt: DateTime.Utc | null
  readonly finishedAt: DateTime.Utc | null
}

/** No such replay in the caller's organization. */
export class ReplayNotFound extends Schema.TaggedError<ReplayNotFound>()("ReplayNotFound", {}) {}

/** The endpoint has as many unfinished replays as it may. */
export class TooManyReplays extends Schema.TaggedError<TooManyReplays>()("TooManyReplays", {
  limit: Schema.Int
}) {}

/** Sorts before every event id of this moment and after those of every earlier one: ids are UUIDv7. */
export const eventIdBound = (at: DateTime.Utc): string => {
  const hex = DateTime.toEpochMillis(at).toString(16).padStart(12, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/** The ids between which the rest of a replay lies: both are left out. */
export const restOf = (replay: Replay): { readonly after: string; readonly before: string } => ({
  after: replay.position ?? eventIdBound(replay.since),
  before: eventIdBound(replay.until)
})

/** Whether nothing more comes of it. */
export const isFinished = ({ state }: Replay): boolean => state === "completed" || state === "stopped"

/** The replay after a portion of at most `limit`: at its end when there were fewer. */
const advanced = (
  replay: Replay,
  portion: { readonly eventIds: ReadonlyArray<EventId>; readonly limit: number; readonly now: DateTime.Utc }
): Replay => {
  const over = portion.eventIds.length < portion.limit
  return {
    ...replay,
    state: over ? "completed" : "running",
    position: portion.eventIds.at(-1) ?? replay.position,
    replayedCount: replay.replayedCount + portion.eventIds.length,
    startedAt: replay.startedAt ?? portion.now,
    finishedAt: over ? portion.now : null
  }
}

/** The replay given up, for this reason. */
const stopped = (replay: Replay, stateReason: StopReason, now: DateTime.Utc): Replay => ({
  ...replay,
  state: "stopped",
  stateReason,
  finishedAt: now
})

/** The changes of a replay's state, as in `Replay.advanced(replay, portion)`. */
export const Replay = { advanced, stopped }
