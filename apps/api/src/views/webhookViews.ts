import { timeOfId } from "@agent-platform/kernel"
import type { Attempt, Delivery, Replay } from "@agent-platform/webhooks"

/** A delivery as the contract shows it. Its id is that of its event. */
export const deliveryView = ({
  attempts,
  delivery
}: {
  readonly delivery: Delivery
  readonly attempts: ReadonlyArray<Attempt>
}) => ({
  ...delivery,
  deliveryId: delivery.eventId,
  attempts: attempts.map((attempt) => ({ ...attempt, durationMs: attempt.durationMillis }))
})

/** The time up to which events were replayed. The position is the id of the last one. */
const progressOf = (replay: Replay) => {
  if (replay.state === "completed") return replay.until
  return replay.position === null ? null : timeOfId(replay.position)
}

/** A replay as the contract shows it, where `status` says which deliveries it selects. */
export const replayView = (replay: Replay) => ({
  ...replay,
  status: replay.selection,
  progressedTo: progressOf(replay)
})
