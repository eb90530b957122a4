import { Outbox, timeOfId, UnitOfWork } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import { DeliveryHistory } from "../ports/DeliveryHistory.ts"

/** How long events and deliveries are kept at least, unless the deployment says otherwise. */
export const HISTORY_DAYS = 90

/** How many months ahead are prepared: a scheduler may be away for weeks. */
const MONTHS_AHEAD = 2

/**
 * Prepares the months to come and forgets months that are older than `days`, except for pending deliveries and events that are
 * still in the outbox. Safe to run at any time, repeatedly and at once. Each has its own transaction: months stay prepared
 * where forgetting fails.
 */
export const tidyHistory = useCase("webhooks.tidyHistory")(function* (days: number = HISTORY_DAYS) {
  const history = yield* DeliveryHistory
  const outbox = yield* Outbox
  const unit = yield* UnitOfWork
  const now = yield* DateTime.now
  yield* unit.atomic(history.prepare(now, DateTime.add(now, { months: MONTHS_AHEAD })))
  const oldestWaiting = yield* outbox.oldest
  const old = DateTime.subtract(now, { days })
  return yield* unit.atomic(
    history.forget(oldestWaiting === undefined ? old : DateTime.min(old, timeOfId(oldestWaiting)))
  )
})
