import { Outbox, timeOfId, UnitOfWork } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import { DeliveryHistory } from "../ports/DeliveryHistory.ts"

/** How long events and deliveries are kept at least, unless the deployment says otherwise. */
export const HISTORY_DAYS = 90

/** How many months ahead there is room: a scheduler may be away for weeks. */
const MONTHS_AHEAD = 2

/**
 * Makes room for what is to come and forgets what is older than `days`, by whole months: up to a month later, and nothing
 * that is pending or of which anybody has still to be told. Safe to do at any time, twice and at once. The two are apart, so that none stops the other.
 */
export const tidyHistory = useCase("webhooks.tidyHistory")(function* (days: number = HISTORY_DAYS) {
  const history = yield* DeliveryHistory
  const outbox = yield* Outbox
  const unit = yield* UnitOfWork
  const now = yield* DateTime.now
  yield* unit.atomic(history.prepare(now, DateTime.add(now, { months: MONTHS_AHEAD })))
  const waiting = yield* outbox.oldest
  const old = DateTime.subtract(now, { days })
  return yield* unit.atomic(history.forget(waiting === undefined ? old : DateTime.min(old, timeOfId(waiting))))
})
