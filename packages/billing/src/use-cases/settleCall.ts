import { atomic, Signals } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { dueNotice } from "../Cap.ts"
import type { CallOrigin, CallOutcome } from "../LedgerEntry.ts"
import { ZERO_USD } from "../Money.ts"
import { costOf, worstCostOf } from "../Price.ts"
import { CallLedger } from "../ports/CallLedger.ts"
import { RunCosts } from "../ports/RunCosts.ts"
import { WorkspaceCaps } from "../ports/WorkspaceCaps.ts"
import { estimateOf, type Reservation } from "../Reservation.ts"
import type { MonthSpend } from "../Spend.ts"
import { spendFreed } from "../signals.ts"
import { isPossible, NO_TOKENS, type TokenUsage } from "../TokenUsage.ts"
import { recordCall } from "../telemetry.ts"
import { notifyCapNear, notifyCapReached } from "./notifyCap.ts"
import { type Admission, priceNow } from "./reserveCall.ts"

/** Upper bounds of a call's tokens where its provider did not count them; an undefined one stands for all that was admitted. */
export interface SeenTokens {
  readonly inputTokensMax: number | undefined
  readonly outputTokensMax: number | undefined
}

/** A model call that has ended. */
export interface SettleCall extends CallOutcome {
  readonly call: CallOrigin & Pick<Reservation, "inputTokensMax" | "outputTokensMax">
  /** The answer of `reserveCall`; without it the call is priced as of now. */
  readonly admission?: Admission | undefined
  /** The provider's counts; undefined when it gave none. Impossible counts are ignored. */
  readonly usage: TokenUsage | undefined
  /** Counts as its usage where the provider gave no counts; never more than was admitted. */
  readonly seen?: SeenTokens | undefined
  /** Whether the provider can have worked at all. */
  readonly sent: boolean
}

/** The part of an admission by which a call's cost is counted. */
type AdmittedAt = Omit<Admission, "outputTokensMax">

const atMost = (bound: number, seen: number | undefined) => Math.max(0, Math.min(bound, seen ?? bound))

/** The tokens used, who counted them, and their cost. */
const countOf = (
  { admission, call, seen, sent, usage: reported }: SettleCall,
  { amountUsd, price, priceVersion }: AdmittedAt
) => {
  const usage = reported !== undefined && isPossible(reported) ? reported : undefined
  if (usage === undefined && sent) {
    const bounds = {
      inputTokensMax: atMost(call.inputTokensMax, seen?.inputTokensMax),
      outputTokensMax: atMost(admission?.outputTokensMax ?? call.outputTokensMax, seen?.outputTokensMax)
    }
    const costUsd = price === undefined ? amountUsd : worstCostOf(price, bounds)
    return { ...estimateOf(bounds), usageSource: "estimated" as const, costUsd, priceVersion }
  }
  const counted = usage ?? NO_TOKENS
  // A request that the provider cannot have worked for costs nothing, not even the price of a request.
  const costUsd = price === undefined ? null : usage === undefined ? ZERO_USD : costOf(price, usage)
  return { ...counted, usageSource: "provider" as const, costUsd, priceVersion }
}

/** The longest duration that is stored, in milliseconds: 24 days. Longer ones come from lost workers, or from clocks put forward. */
const MILLIS_MAX = 2 ** 31 - 1

const keptMillis = (millis: number): number => Math.min(Math.max(0, Math.round(millis)), MILLIS_MAX)

/** When a settlement began, and the workspace's cap at that time. */
interface SettledUnder {
  readonly capUsd: string | null
  readonly settledAt: DateTime.Utc
}

/**
 * Sends the notice that is due by the month's spending, if one is. Only where one seems due is the cap read again, under the lock of
 * the month, since other calls of the workspace wait meanwhile. A past month keeps its cap.
 */
const notifyDue = Effect.fnUntraced(function* (
  call: CallOrigin,
  month: MonthSpend,
  calledAt: DateTime.Utc,
  { capUsd, settledAt }: SettledUnder
) {
  const isOver = DateTime.isLessThanOrEqualTo(month.period.end, settledAt)
  if (dueNotice(month, isOver ? month.capUsd : capUsd) === undefined) return
  const caps = yield* WorkspaceCaps
  const present = yield* caps.read(call.organizationId, call.workspaceId, calledAt)
  const capToKeep = isOver ? month.capUsd : present.monthlyCapUsd
  const kind = dueNotice(month, capToKeep)
  if (kind === undefined || capToKeep === null) return
  const cap = { ...present, monthlyCapUsd: capToKeep, period: month.period }
  yield* kind === "near" ? notifyCapNear(call, cap, capToKeep) : notifyCapReached(call, cap, capToKeep)
})

/** Everything that `settleCall` writes, in one transaction. */
const write = Effect.fnUntraced(function* (
  command: SettleCall,
  counted: ReturnType<typeof countOf>,
  under: SettledUnder
) {
  const ledger = yield* CallLedger
  const costs = yield* RunCosts
  const signals = yield* Signals
  const { call, errorCode, finishReason, responseModel, startedAt, status, timeToFirstTokenMillis } = command
  const { costUsd, priceVersion, usageSource, ...usage } = counted
  // Before the ledger, which locks the month's row: from then on other calls of the workspace wait until the commit.
  yield* costs.add(call.workspaceId, call.runId, usage, costUsd)
  const answer = yield* ledger.settle(call.workspaceId, call.id, {
    ...usage,
    usageSource,
    costUsd,
    status,
    errorCode,
    finishReason,
    responseModel,
    startedAt,
    durationMillis: keptMillis(command.durationMillis),
    timeToFirstTokenMillis: timeToFirstTokenMillis === null ? null : keptMillis(timeToFirstTokenMillis),
    priceVersion,
    settledAt: under.settledAt
  })
  // A failure, so that the transaction is undone with the cost that was added to the run.
  if (answer._tag !== "Settled") return yield* Effect.fail(answer)
  yield* notifyDue(call, answer.month, answer.calledAt, under)
  if (answer.isAwaited) yield* signals.raise(spendFreed(call.workspaceId))
  return answer
}, atomic)

/**
 * Settles a call, once, in a transaction: its row in the ledger, the run's cost, the month's spending, and the notice of the cap.
 * Without a provider's count the usage is what was seen, or else all that was admitted, unless nothing was sent. Settling again
 * changes nothing. Dies for a call that was never admitted. Returns its cost, null when nobody knows the price.
 */
export const settleCall = useCase("billing.settleCall")(function* (command: SettleCall) {
  const { admission, call } = command
  const counted = countOf(command, admission ?? { ...(yield* priceNow(call)), amountUsd: null })
  const { costUsd } = counted
  const caps = yield* WorkspaceCaps
  const settledAt = yield* DateTime.now
  // The cap is read anew, because it may have been set or lowered since the admission.
  const { monthlyCapUsd: capUsd } = yield* caps.read(call.organizationId, call.workspaceId, settledAt)
  // A call that this did not settle is a failure of `write` and an answer here.
  const settled = yield* Effect.catch(write(command, counted, { capUsd, settledAt }), Effect.succeed)
  if (settled._tag === "NeverReserved") return yield* Effect.die(new Error(`The call ${call.id} was never admitted`))
  if (settled._tag === "AlreadySettled") return { costUsd: settled.costUsd, isFirst: false }
  yield* recordCall({ ...command, usage: counted, costUsd, reservedUsd: settled.reservedUsd })
  return { costUsd, isFirst: true }
})
