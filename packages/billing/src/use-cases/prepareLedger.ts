import { atomic } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import { CallLedger } from "../ports/CallLedger.ts"

/** How many months ahead the ledger is prepared. */
const MONTHS_AHEAD = 2

/**
 * Has the store make room for the calls of this month and the next two: in Postgres, a partition for each month. A call of a month that
 * has none is kept all the same. Any number may do it at once.
 */
export const prepareLedger = useCase("billing.prepareLedger")(function* () {
  const ledger = yield* CallLedger
  const now = yield* DateTime.now
  yield* ledger.prepareMonths(now, DateTime.add(now, { months: MONTHS_AHEAD }))
}, atomic)
