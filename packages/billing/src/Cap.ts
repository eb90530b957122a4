/** The caps of workspaces and runs: which calls they admit, and how the spending of a month stands to them. Spec: Spend caps. */
import { BigDecimal } from "effect"
import { addUsd, isAtLeast, readUsd, ZERO_USD } from "./Money.ts"
import type { Reserved } from "./ports/CallLedger.ts"
import { heldFor, type NewReservation } from "./Reservation.ts"
import type { MonthSpend, Spend } from "./Spend.ts"

/** Whether a call of this worst case may be made: with it, and all that is under way, the cap is still kept. */
const fits = (spend: Spend, capUsd: string | null, amountUsd: string): boolean =>
  capUsd === null || isAtLeast(capUsd, addUsd(spend.spentUsd, spend.reservedUsd, amountUsd))

/** Whether it may fit once calls under way turn out cheaper than they could have been. */
const mayFitLater = (spend: Spend, capUsd: string | null, amountUsd: string): boolean =>
  capUsd === null || isAtLeast(capUsd, addUsd(spend.spentUsd, amountUsd))

/**
 * The verdict on a call under its two caps: what is spent, held back and asked for together exceeds neither. Where both refuse,
 * the workspace's is named. Adapters that decide in SQL state the same rule again, and `ledgerModelContract` compares them.
 */
export const verdictOn = (
  call: Pick<NewReservation, "amountUsd" | "workspaceCapUsd" | "runCapUsd">,
  month: Spend,
  run: Spend
): Reserved => {
  const amount = heldFor(call.amountUsd)
  const fitsMonth = fits(month, call.workspaceCapUsd, amount)
  if (fitsMonth && fits(run, call.runCapUsd, amount)) return { _tag: "Reserved" }
  const { reservedUsd, spentUsd } = fitsMonth ? run : month
  return {
    _tag: "Refused",
    by: fitsMonth ? "run" : "workspace",
    spend: { spentUsd, reservedUsd },
    isWaiting: mayFitLater(month, call.workspaceCapUsd, amount) && mayFitLater(run, call.runCapUsd, amount)
  }
}

const NEAR = readUsd("0.8")

/** How the month's spending stands to the cap: `near` from 80 % on, `reached` from all of it on. */
export type CapStatus = "ok" | "near" | "reached"

const statusOf = (spentUsd: string, capUsd: string): CapStatus => {
  if (isAtLeast(spentUsd, capUsd)) return "reached"
  const near = BigDecimal.multiply(readUsd(capUsd), NEAR)
  return BigDecimal.isGreaterThanOrEqualTo(readUsd(spentUsd), near) ? "near" : "ok"
}

const wasReached = (reachedCapUsd: string | null, capUsd: string): boolean =>
  reachedCapUsd !== null && isAtLeast(reachedCapUsd, capUsd)

/**
 * How far a workspace is in its month; `ok` without a cap. A cap for which a call was refused is reached, although not all of it
 * is spent. One above the highest that was reached is a new one.
 */
export const capStatus = (
  month: Pick<MonthSpend, "spentUsd" | "reachedCapUsd"> | undefined,
  capUsd: string | null
): CapStatus => {
  if (capUsd === null) return "ok"
  if (wasReached(month?.reachedCapUsd ?? null, capUsd)) return "reached"
  return statusOf(month?.spentUsd ?? ZERO_USD, capUsd)
}

/** Which of the two notices the month's spending makes due under the cap: each once, and `reached` again for a higher cap. */
export const dueNotice = (
  month: Pick<MonthSpend, "spentUsd" | "reachedCapUsd" | "nearAt">,
  capUsd: string | null
): "near" | "reached" | undefined => {
  if (capUsd === null) return undefined
  const status = statusOf(month.spentUsd, capUsd)
  if (status === "reached") return wasReached(month.reachedCapUsd, capUsd) ? undefined : "reached"
  return status === "near" && month.nearAt === null ? "near" : undefined
}

/** The highest cap that was reached in a month, after this one was. */
export const highestReached = (reachedCapUsd: string | null, capUsd: string): string =>
  reachedCapUsd !== null && wasReached(reachedCapUsd, capUsd) ? reachedCapUsd : capUsd
