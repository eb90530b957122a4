import { atomic, Signals } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { Clock, DateTime, Effect } from "effect"
import { countsAsReached } from "../Cap.ts"
import { CallExceedsCap, CapReached, ModelUnpriced } from "../errors.ts"
import type { CallOrigin } from "../LedgerEntry.ts"
import { leftOf, ZERO_USD } from "../Money.ts"
import { type Price, worstCostAt, worstRatesOf } from "../Price.ts"
import { CallLedger } from "../ports/CallLedger.ts"
import { WorkspaceCaps } from "../ports/WorkspaceCaps.ts"
import { type Granted, type NewReservation, RESERVATION_MINUTES } from "../Reservation.ts"
import { spendFreed } from "../signals.ts"
import { findPrice } from "./findPrice.ts"
import { notifyCapReached } from "./notifyCap.ts"

/** A model call that is about to be made. */
export interface ReserveCall
  extends CallOrigin,
    Pick<NewReservation, "inputTokensMax" | "outputTokensMax" | "outputTokensMin" | "runCapUsd" | "reported"> {
  /**
   * The output tokens that similar calls usually needed. While calls under way may free enough for these, the call waits instead of
   * being made with fewer; `outputTokensMin` unless given.
   */
  readonly outputTokensUsual?: number | undefined
}

/** The price of an admitted call, if it is known, and its limits. */
export interface Admission extends Granted {
  readonly price: Price | undefined
  readonly priceVersion: string | null
}

/** The price that holds for a call now. */
export const priceNow = Effect.fnUntraced(function* ({ provider, requestModel: model, workspaceId }: CallOrigin) {
  const price = yield* findPrice({ workspaceId, provider, model, at: yield* DateTime.now })
  return { price, priceVersion: price?.version ?? null }
})

/** A call with its price, which is looked up once for all tries. */
interface PricedCall {
  readonly command: ReserveCall
  readonly priced: Effect.Success<ReturnType<typeof priceNow>>
}

/** How long a call that does not fit waits for others to be settled. Spec: Spend caps. */
export const CAP_WAIT_SECONDS = 5

/** How often a call that waits tries again without a signal, since signals may be lost. */
const LOOK_SECONDS = 1

const tryToReserve = Effect.fnUntraced(function* ({ command, priced }: PricedCall, outputTokensMin: number) {
  const ledger = yield* CallLedger
  const caps = yield* WorkspaceCaps
  const { outputTokensUsual: _usual, ...call } = command
  const { organizationId, provider, requestModel: model, runCapUsd, workspaceId } = call
  const calledAt = yield* DateTime.now
  const cap = yield* caps.read(organizationId, workspaceId, calledAt)
  if (
    priced.price === undefined &&
    call.reported !== "whatever_caps" &&
    (cap.monthlyCapUsd !== null || runCapUsd !== null)
  ) {
    return yield* new ModelUnpriced({ provider, model })
  }
  const answer = yield* ledger.reserve({
    ...call,
    outputTokensMin,
    rates: priced.price === undefined ? null : worstRatesOf(priced.price, command.inputTokensMax),
    priceVersion: priced.priceVersion,
    period: cap.period,
    calledAt,
    workspaceCapUsd: cap.monthlyCapUsd,
    holdSeconds: RESERVATION_MINUTES * 60
  })
  return { answer, cap }
})

/** Tries again whenever a reservation is released, until the call fits, calls under way cannot free enough, or the time is over. */
const awaitFreedSpend = Effect.fnUntraced(function* (call: PricedCall, outputTokensMin: number, untilMillis: number) {
  const signals = yield* Signals
  const next = yield* signals.listen(spendFreed(call.command.workspaceId))
  while (true) {
    const tried = yield* tryToReserve(call, outputTokensMin)
    const leftMillis = untilMillis - (yield* Clock.currentTimeMillis)
    if (tried.answer._tag === "Reserved" || !tried.answer.isWaiting || leftMillis <= 0) return tried
    yield* next(Math.min(LOOK_SECONDS, leftMillis / 1000))
  }
}, Effect.scoped)

/** Tries once without listening for signals, which most calls do not need. */
const admit = Effect.fnUntraced(function* (call: PricedCall, outputTokensMin: number, untilMillis: number) {
  const first = yield* tryToReserve(call, outputTokensMin)
  const isWaiting = first.answer._tag === "Refused" && first.answer.isWaiting
  return isWaiting ? yield* awaitFreedSpend(call, outputTokensMin, untilMillis) : first
})

/**
 * Admits a call: reserves the most that it can cost, with fewer output tokens where its caps leave no more, down to the fewest
 * that are of use. A call that does not fit waits up to 5 s while calls under way may still free enough. Fails with CallExceedsCap,
 * or with CapReached where nearly all of the cap is spent; the first time in a month this publishes the event about the workspace's
 * cap. Fails with ModelUnpriced where there is a cap and no price. A call without a price and without a cap is admitted.
 */
export const reserveCall = useCase("billing.reserveCall")(function* (command: ReserveCall) {
  const { outputTokensMax, outputTokensMin } = command
  const call: PricedCall = { command, priced: yield* priceNow(command) }
  const untilMillis = (yield* Clock.currentTimeMillis) + CAP_WAIT_SECONDS * 1000
  // First it waits for its usual size; only if that does not fit in time is a smaller one tried.
  const usual = Math.min(Math.max(command.outputTokensUsual ?? 0, outputTokensMin), outputTokensMax)
  const first = yield* admit(call, usual, untilMillis)
  const isLast = first.answer._tag === "Reserved" || usual === outputTokensMin
  const { answer, cap } = isLast ? first : yield* admit(call, outputTokensMin, untilMillis)
  if (answer._tag === "Reserved") {
    const { amountUsd, outputTokensMax: granted } = answer
    return { ...call.priced, amountUsd, outputTokensMax: granted } satisfies Admission
  }
  const { by, spend } = answer
  const capUsd = by === "run" ? command.runCapUsd : cap.monthlyCapUsd
  if (capUsd === null) return yield* Effect.die(new Error("A call was refused for a cap that there is not"))
  if (!countsAsReached(spend, capUsd)) {
    const rates = call.priced.price === undefined ? undefined : worstRatesOf(call.priced.price, command.inputTokensMax)
    return yield* new CallExceedsCap({
      cap: by,
      capUsd,
      wantedUsd: rates === undefined ? ZERO_USD : worstCostAt(rates, outputTokensMin),
      leftUsd: leftOf(capUsd, spend.spentUsd, spend.reservedUsd),
      heldUsd: spend.reservedUsd
    })
  }
  if (by === "workspace") yield* atomic(notifyCapReached(command, cap, capUsd))
  return yield* new CapReached({ cap: by, capUsd, ...spend })
})
