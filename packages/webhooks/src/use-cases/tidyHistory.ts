import { dispatchEvent, JobSource, UnitOfWork, useCase } from "@agent-platform/kernel"
import { DateTime } from "effect"
import { DeliveryHistory } from "../ports/DeliveryHistory.ts"

/** How long events and deliveries are kept at least, unless the deployment says otherwise. */
export const HISTORY_DAYS = 90

/** How many months ahead there is room: a scheduler may be away for weeks. */
const MONTHS_AHEAD = 2

/**
 * An event is older than the job that brings it to its receivers by the time that its transaction took, and by what the
 * clocks of two machines differ.
 */
const EVENT_BEFORE_JOB_HOURS = 1

/**
 * Makes room for what is to come and forgets what is older than `days`, by whole months: up to a month later, and nothing
 * that is pending or of which the queue still has to tell anybody. Safe to do at any time, twice and at once. The two are apart, so that none stops the other.
 */
export const tidyHistory = useCase("webhooks.tidyHistory")(function* (days: number = HISTORY_DAYS) {
  const history = yield* DeliveryHistory
  const source = yield* JobSource
  const unit = yield* UnitOfWork
  const now = yield* DateTime.now
  yield* unit.atomic(history.prepare(now, DateTime.add(now, { months: MONTHS_AHEAD })))
  const waiting = yield* source.oldest(dispatchEvent)
  const old = DateTime.subtract(now, { days })
  const undispatched = DateTime.subtract(waiting ?? now, { hours: EVENT_BEFORE_JOB_HOURS })
  return yield* unit.atomic(history.forget(DateTime.min(old, undispatched)))
})
