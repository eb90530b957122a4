import { atomic, Signals } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { Clock, DateTime, Effect } from "effect"
import { CapReached, ModelUnpriced } from "../errors.ts"
import type { CallOrigin } from "../LedgerEntry.ts"
import { type Price, worstCostOf } from "../Price.ts"
import { CallLedger } from "../ports/CallLedger.ts"
import { WorkspaceCaps } from "../ports/WorkspaceCaps.ts"
import { type NewReservation, RESERVATION_MINUTES } from "../Reservation.ts"
import { spendFreed } from "../signals.ts"
import { findPrice } from "./findPrice.ts"
import { notifyCapReached } from "./notifyCap.ts"

/** A model call that is about to be made. */
export type ReserveCall = CallOrigin & Pick<NewReservation, "inputTokensMax" | "outputTokensMax" | "runCapUsd">

/** The price of an admitted call, and the amount held back for it; neither when nobody knows its price. */
export interface Admission {
  readonly price: Price | undefined
  readonly priceVersion: string | null
  readonly amountUsd: string | null
}

/** How a call is admitted at the prices of now. */
export const admissionNow = Effect.fnUntraced(function* (call: Omit<ReserveCall, "runCapUsd">) {
  const { provider, requestModel: model, workspaceId } = call
  const price = yield* findPrice({ workspaceId, provider, model, at: yield* DateTime.now })
  const admission: Admission = {
    price,
    priceVersion: price?.version ?? null,
    amountUsd: price === undefined ? null : worstCostOf(price, call)
  }
  return admission
})

/** How long a call that does not fit waits for others to be settled. Spec: Spend caps. */
export const CAP_WAIT_SECONDS = 5

/** How often somebody who waits looks without a signal: those may be lost. */
const LOOK_SECONDS = 1

const attempt = Effect.fnUntraced(function* (command: ReserveCall, admission: Admission) {
  const ledger = yield* CallLedger
  const caps = yield* WorkspaceCaps
  const { organizationId, provider, requestModel: model, runCapUsd, workspaceId } = command
  const calledAt = yield* DateTime.now
  const cap = yield* caps.read(organizationId, workspaceId, calledAt)
  if (admission.price === undefined && (cap.monthlyCapUsd !== null || runCapUsd !== null)) {
    return yield* new ModelUnpriced({ provider, model })
  }
  const answer = yield* ledger.reserve({
    ...command,
    ...admission,
    period: cap.period,
    calledAt,
    workspaceCapUsd: cap.monthlyCapUsd,
    holdSeconds: RESERVATION_MINUTES * 60
  })
  return { answer, cap }
})

/** Tries again whenever spend is freed, until the call fits, no call under way can free any more, or it is `until`. */
const awaitFreedSpend = Effect.fnUntraced(function* (command: ReserveCall, admission: Admission, until: number) {
  const signals = yield* Signals
  const next = yield* signals.listen(spendFreed(command.workspaceId))
  while (true) {
    const tried = yield* attempt(command, admission)
    const left = until - (yield* Clock.currentTimeMillis)
    if (tried.answer._tag === "Reserved" || !tried.answer.isWaiting || left <= 0) return tried
    yield* next(Math.min(LOOK_SECONDS, left / 1000))
  }
}, Effect.scoped)

/**
 * Admits a call: holds back the most that it can cost. One that does not fit under a cap waits up to 5 s while calls under way
 * may still free enough. Fails with CapReached, the first time for the workspace's cap in a month together with its event, and
 * with ModelUnpriced where there is a cap and no price. A call without a price and without a cap is admitted.
 */
export const reserveCall = useCase("billing.reserveCall")(function* (command: ReserveCall) {
  const admission = yield* admissionNow(command)
  const until = (yield* Clock.currentTimeMillis) + CAP_WAIT_SECONDS * 1000
  const first = yield* attempt(command, admission)
  const isWaiting = first.answer._tag === "Refused" && first.answer.isWaiting
  const { answer, cap } = isWaiting ? yield* awaitFreedSpend(command, admission, until) : first
  if (answer._tag === "Reserved") return admission
  const capUsd = answer.by === "run" ? command.runCapUsd : cap.monthlyCapUsd
  if (capUsd === null) return yield* Effect.die(new Error("A call was refused for a cap that there is not"))
  if (answer.by === "workspace") yield* atomic(notifyCapReached(command, cap, capUsd))
  return yield* new CapReached({ cap: answer.by, capUsd, ...answer.spend })
})
