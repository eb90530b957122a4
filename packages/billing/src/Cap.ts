/** The caps of workspaces and runs: which calls they admit, and how much of a cap a month has spent. Spec: Spend caps. */
import { BigDecimal } from "effect"
import { addUsd, isAtLeast, readUsd, ZERO_USD } from "./Money.ts"
import { outputTokensWithin, worstCostAt } from "./Price.ts"
import type { Reserved } from "./ports/CallLedger.ts"
import type { NewReservation } from "./Reservation.ts"
import { type MonthSpend, NO_SPEND, type Spend } from "./Spend.ts"

type Asked = Pick<NewReservation, "outputTokensMax" | "outputTokensMin" | "rates" | "workspaceCapUsd" | "runCapUsd">

/** A call without a known price counts as free. */
const FREE = { baseUsd: ZERO_USD, outputTokenUsd: ZERO_USD }

/** Most output tokens that a cap leaves beside this spending; undefined where they are fewer than are of use to the call. */
const tokensLeftBy = (call: Asked, capUsd: string | null, { reservedUsd, spentUsd }: Spend): number | undefined => {
  if (capUsd === null) return call.outputTokensMax
  const leftUsd = BigDecimal.subtract(readUsd(capUsd), readUsd(addUsd(spentUsd, reservedUsd)))
  const tokens = outputTokensWithin(call.rates ?? FREE, leftUsd, call.outputTokensMax)
  return tokens !== undefined && tokens >= call.outputTokensMin ? tokens : undefined
}

/** The spending if every call under way turned out to cost nothing. */
const atBest = ({ spentUsd }: Spend): Spend => ({ ...NO_SPEND, spentUsd })

/**
 * The verdict on a call under its two caps. Spent, reserved and granted amounts together exceed neither cap: the call is granted as
 * many output tokens as both leave, and refused where those are fewer than are of use. Where both refuse, the workspace's is
 * named. Adapters that decide in SQL repeat the same rule, and `ledgerModelContract` compares them.
 */
export const verdictOn = (call: Asked, month: Spend, run: Spend): Reserved => {
  const ofMonth = tokensLeftBy(call, call.workspaceCapUsd, month)
  const ofRun = tokensLeftBy(call, call.runCapUsd, run)
  if (ofMonth !== undefined && ofRun !== undefined) {
    const outputTokensMax = Math.min(ofMonth, ofRun)
    const amountUsd = call.rates === null ? null : worstCostAt(call.rates, outputTokensMax)
    return { _tag: "Reserved", outputTokensMax, amountUsd }
  }
  const { reservedUsd, spentUsd } = ofMonth === undefined ? month : run
  return {
    _tag: "Refused",
    by: ofMonth === undefined ? "workspace" : "run",
    spend: { spentUsd, reservedUsd },
    isWaiting:
      tokensLeftBy(call, call.workspaceCapUsd, atBest(month)) !== undefined &&
      tokensLeftBy(call, call.runCapUsd, atBest(run)) !== undefined
  }
}

const NEARLY_ALL = readUsd("0.95")

/**
 * Whether a cap counts as reached once it has refused a call: nearly all of it is spent. Before that only this call is refused, and
 * smaller ones go on.
 */
export const countsAsReached = ({ spentUsd }: Pick<Spend, "spentUsd">, capUsd: string): boolean =>
  BigDecimal.isGreaterThanOrEqualTo(readUsd(spentUsd), BigDecimal.multiply(readUsd(capUsd), NEARLY_ALL))

const NEAR = readUsd("0.8")

/** How much of the cap is spent: `near` from 80 % on, `reached` from all of it on. */
export type CapStatus = "ok" | "near" | "reached"

const statusOf = (spentUsd: string, capUsd: string): CapStatus => {
  if (isAtLeast(spentUsd, capUsd)) return "reached"
  const near = BigDecimal.multiply(readUsd(capUsd), NEAR)
  return BigDecimal.isGreaterThanOrEqualTo(readUsd(spentUsd), near) ? "near" : "ok"
}

/** Whether this cap was reached before, or a higher one. */
const wasReached = (reachedCapUsd: string | null, capUsd: string): boolean =>
  reachedCapUsd !== null && isAtLeast(reachedCapUsd, capUsd)

/**
 * The status of a workspace's month under a cap; `ok` without one. A cap that was reached by a refusal stays reached, although
 * not all of it is spent. A cap above the highest that was reached is a new one.
 */
export const capStatus = (
  month: Pick<MonthSpend, "spentUsd" | "reachedCapUsd"> | undefined,
  capUsd: string | null
): CapStatus => {
  if (capUsd === null) return "ok"
  if (wasReached(month?.reachedCapUsd ?? null, capUsd)) return "reached"
  return statusOf(month?.spentUsd ?? ZERO_USD, capUsd)
}

/** The notice that is due by the month's spending, if one is: each of the two once, and `reached` again for a higher cap. */
export const dueNotice = (
  month: Pick<MonthSpend, "spentUsd" | "reachedCapUsd" | "nearAt">,
  capUsd: string | null
): "near" | "reached" | undefined => {
  if (capUsd === null) return undefined
  const status = statusOf(month.spentUsd, capUsd)
  if (status === "reached") return wasReached(month.reachedCapUsd, capUsd) ? undefined : "reached"
  return status === "near" && month.nearAt === null ? "near" : undefined
}

/** The highest cap that was reached in a month, once this one is reached as well. */
export const highestReached = (reachedCapUsd: string | null, capUsd: string): string =>
  reachedCapUsd !== null && wasReached(reachedCapUsd, capUsd) ? reachedCapUsd : capUsd
