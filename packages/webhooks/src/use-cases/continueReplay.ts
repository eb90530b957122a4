import { type Job, Signals, UnitOfWork } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { deliveriesDue, type replayRange } from "../jobs.ts"
import { DeliveryReplays } from "../ports/DeliveryReplays.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"
import { ReplayStore } from "../ports/ReplayStore.ts"
import { isFinished, REPLAY_WAITING_MAX, Replay, restOf } from "../Replay.ts"

/** A job that sends a range of deliveries again. */
export type ReplayJob = Job<(typeof replayRange)["payload"]["Type"]>

/** The outcome of one step of a replay: go on at once, go on when the waiting deliveries are sent, or nothing is left. */
export type ReplayStep = "more" | "wait" | "over"

/** While more deliveries than this wait, the next portion would be too small to be worth its transaction. */
const WAITING_ENOUGH = REPLAY_WAITING_MAX / 2

/**
 * Makes the next portion of a replay's deliveries due, up to `REPLAY_WAITING_MAX` together with those that
 * wait at its endpoint. The portion and how far the replay has come are one transaction on the replay's row: after a crash
 * it goes on right there, and two workers at once make no delivery due twice.
 */
export const continueReplay = useCase("webhooks.continueReplay")(function* ({
  organization_id: organizationId,
  replay_id: replayId
}: ReplayJob["payload"]) {
  const deliveries = yield* DeliveryReplays
  const endpoints = yield* EndpointStore
  const replays = yield* ReplayStore
  const signals = yield* Signals
  const unit = yield* UnitOfWork

  const waitingAt = Effect.fnUntraced(function* (replay: Replay) {
    return yield* deliveries.countDue(replay.endpointId, { max: REPLAY_WAITING_MAX, now: yield* DateTime.now })
  })

  /** The replay after its next portion, or the same where as many deliveries wait as may. */
  const advance = Effect.fnUntraced(function* (replay: Replay) {
    const now = yield* DateTime.now
    const endpoint = yield* endpoints.findToChange(organizationId, replay.endpointId)
    if (endpoint?.status !== "active") {
      return Replay.stopped(replay, endpoint?.status === "disabled" ? "endpoint_disabled" : "endpoint_deleted", now)
    }
    const limit = REPLAY_WAITING_MAX - (yield* waitingAt(replay))
    if (limit === 0) return replay
    const eventIds = yield* deliveries.replayPortion({
      endpointId: replay.endpointId,
      ...restOf(replay),
      deadOnly: replay.selection === "dead",
      limit,
      now
    })
    if (eventIds.length > 0) yield* signals.raise(deliveriesDue)
    return Replay.advanced(replay, { eventIds, limit, now })
  })

  // Read without a lock at first, so that a replay that has to wait holds nobody up.
  const found = yield* replays.find(organizationId, replayId)
  if (found !== undefined && !isFinished(found) && (yield* waitingAt(found)) > WAITING_ENOUGH) return "wait"
  const step: ReplayStep = yield* unit.atomic(
    Effect.gen(function* () {
      const held = yield* replays.findToChange(organizationId, replayId)
      if (held === undefined || isFinished(held)) return "over"
      const after = yield* advance(held)
      if (after === held) return "wait"
      yield* replays.replace(after)
      return isFinished(after) ? "over" : "more"
    })
  )
  return step
})
