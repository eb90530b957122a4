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

const progressOf = (replay: Replay) => {
  if (replay.state === "completed") return replay.until
  return replay.position === null ? null : timeOfId(replay.position)
}

/** A replay as the contract shows it. */
export const replayView = (replay: Replay) => ({
  ...replay,
  status: replay.selection,
  progressedTo: progressOf(replay)
})
