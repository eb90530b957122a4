import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { CallLedger } from "../ports/CallLedger.ts"
import type { Reservation } from "../Reservation.ts"
import { settleCall } from "./settleCall.ts"

/** How many expired reservations are read at a time. */
const BATCH_MAX = 100

const expire = Effect.fnUntraced(function* (reservation: Reservation) {
  const now = yield* DateTime.now
  const { amountUsd, calledAt, outputTokensMax, priceVersion } = reservation
  return yield* settleCall({
    call: reservation,
    admission: { price: undefined, priceVersion, amountUsd, outputTokensMax },
    status: "aborted",
    errorCode: "worker_lost",
    finishReason: null,
    responseModel: null,
    startedAt: calledAt,
    durationMillis: DateTime.toEpochMillis(now) - DateTime.toEpochMillis(calledAt),
    timeToFirstTokenMillis: null,
    usage: undefined,
    sent: true
  })
})

/**
 * Settles the calls that nobody has settled in time, each in a transaction of its own: the reserved amount counts as spent, as
 * an estimate, because the call may have been made. Any number may do it at once. Returns how many it has settled.
 */
export const expireReservations = useCase("billing.expireReservations")(function* () {
  const ledger = yield* CallLedger
  let count = 0
  while (true) {
    const expired = yield* ledger.expired({ max: BATCH_MAX })
    const settled = yield* Effect.forEach(expired, (one) => expire(one))
    const mine = settled.filter(({ isFirst }) => isFirst).length
    count += mine
    // Where all of them were settled by others, those others go on.
    if (expired.length < BATCH_MAX || mine === 0) return count
  }
})
