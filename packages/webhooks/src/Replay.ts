/** A range of deliveries on its way to being sent again, portion by portion. */
import { type EventId, type OrganizationId, Uuid } from "@agent-platform/kernel"
import { DateTime, Schema } from "effect"
import type { EndpointId } from "./Endpoint.ts"

export const ReplayId = Uuid.pipe(Schema.brand("ReplayId"))
export type ReplayId = typeof ReplayId.Type

/** Which deliveries of the range are sent again: the dead ones, or all of them. */
export const ReplaySelection = Schema.Literals(["dead", "all"])
export type ReplaySelection = typeof ReplaySelection.Type

export const ReplayState = Schema.Literals(["pending", "running", "completed", "stopped"])
export type ReplayState = typeof ReplayState.Type

/** Why a replay stopped before its end. */
export const StopReason = Schema.Literals(["endpoint_deleted", "endpoint_disabled"])
export type StopReason = typeof StopReason.Type

/**
 * How many deliveries of one endpoint may be due when a replay adds to them: it goes on when fewer are. So live traffic
 * waits behind at most this many, however long the range is.
 */
export const REPLAY_WAITING_MAX = 100

/** How many unfinished replays an endpoint may have. */
export const UNFINISHED_REPLAYS_MAX = 5

/** The request that deliveries of a range are sent again, and how far that has come. */
export interface Replay {
  readonly id: ReplayId
  readonly organizationId: OrganizationId
  readonly endpointId: EndpointId
  /** The range: events that happened at `since` or later, and before `until`. */
  readonly since: DateTime.Utc
  readonly until: DateTime.Utc
  readonly selection: ReplaySelection
  readonly state: ReplayState
  readonly stateReason: StopReason | null
  /** The last event whose delivery was made due; null before the first. */
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

/** The event ids between which a replay's remaining deliveries lie; both are left out. */
export const restOf = (replay: Replay): { readonly after: string; readonly before: string } => ({
  after: replay.position ?? eventIdBound(replay.since),
  before: eventIdBound(replay.until)
})

/** Whether it has ended, at the end of its range or before. */
export const isFinished = ({ state }: Replay): boolean => state === "completed" || state === "stopped"

/** The replay after a portion of at most `limit` events: completed when the portion has fewer. */
const advanced = (
  replay: Replay,
  portion: { readonly eventIds: ReadonlyArray<EventId>; readonly limit: number; readonly now: DateTime.Utc }
): Replay => {
  const isOver = portion.eventIds.length < portion.limit
  return {
    ...replay,
    state: isOver ? "completed" : "running",
    position: portion.eventIds.at(-1) ?? replay.position,
    replayedCount: replay.replayedCount + portion.eventIds.length,
    startedAt: replay.startedAt ?? portion.now,
    finishedAt: isOver ? portion.now : null
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
