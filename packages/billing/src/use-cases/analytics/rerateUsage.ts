import { type Actor, atomic, freshId, recordActivity, type WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { BigDecimal, DateTime, Effect, Struct } from "effect"
import type { Span } from "../../BillingMonth.ts"
import type { CallId, LedgerEntry } from "../../LedgerEntry.ts"
import { ZERO_USD } from "../../Money.ts"
import { costOf } from "../../Price.ts"
import { UsageCorrections } from "../../ports/UsageCorrections.ts"
import { minusUsd, plusUsd } from "../../UsageCells.ts"
import { CorrectionId, type UsageCorrection } from "../../UsageCorrection.ts"
import { findPrice } from "../findPrice.ts"

/** Calls that are to be priced again. */
export interface RerateUsage extends Span {
  readonly caller: WorkspaceCaller
  readonly provider: string
  /** The model as it was asked for. */
  readonly model: string
  /** The reason, for people. */
  readonly reason: string
}

/** The result: how many calls were looked at, how many have another cost now, and the sum of the differences. */
export interface Rerated {
  readonly calls: number
  readonly corrected: number
  readonly deltaUsd: string
}

/** Most calls that are looked at in one transaction. */
const PAGE = 500

const correctionOf = Effect.fnUntraced(function* (entry: LedgerEntry, reason: string, createdAt: DateTime.Utc) {
  const { calledAt: at, provider, requestModel: model, workspaceId } = entry
  const price = yield* findPrice({ workspaceId, provider, model, at })
  if (price === undefined) return []
  const costUsd = costOf(price, entry)
  const deltaUsd = minusUsd(costUsd, entry.costUsd ?? ZERO_USD)
  if (entry.costUsd !== null && BigDecimal.isZero(BigDecimal.fromStringUnsafe(deltaUsd))) return []
  const correction: UsageCorrection = {
    ...Struct.pick(entry, ["organizationId", "workspaceId", "runId", "agentId", "keySource", "calledAt"]),
    id: yield* freshId(CorrectionId),
    callId: entry.id,
    provider,
    requestModel: model,
    costUsd,
    deltaUsd,
    wasUnpriced: entry.costUsd === null,
    priceVersion: price.version,
    reason,
    createdAt
  }
  return [correction]
})

const activity = (actor: Actor, { caller, model, provider, reason }: RerateUsage, page: Rerated) => ({
  organizationId: caller.organizationId,
  workspaceId: caller.workspaceId,
  action: "usage.rerated",
  actor,
  summary: `${actor.label} priced ${page.corrected} calls of ${provider}/${model} again`,
  resourceType: "usage",
  resourceId: caller.workspaceId,
  payload: { provider, model, reason, corrected: page.corrected, delta_usd: page.deltaUsd }
})

/** Corrects the next calls after `after`. */
const correctPage = Effect.fnUntraced(function* (command: RerateUsage, after: CallId | undefined) {
  const { caller, end, model, provider, reason, start } = command
  const store = yield* UsageCorrections
  yield* store.hold(caller.workspaceId)
  const of = { provider, model, span: { start, end } }
  const calls = yield* store.calls(caller.workspaceId, of, { after, limit: PAGE })
  const now = yield* DateTime.now
  const corrections = (yield* Effect.forEach(calls, (call) => correctionOf(call, reason, now))).flat()
  const deltaUsd = corrections.reduce((sum, one) => plusUsd(sum, one.deltaUsd), ZERO_USD)
  const done: Rerated = { calls: calls.length, corrected: corrections.length, deltaUsd }
  if (corrections.length > 0) {
    yield* store.insert(corrections)
    yield* recordActivity(activity(caller.actor, command, done))
  }
  return { done, last: calls.length < PAGE ? undefined : calls.at(-1)?.id }
}, atomic)

/**
 * Prices the workspace's calls of a model in a span again, as of the `calledAt` of each, when it was admitted, and stores the
 * differences as corrections, page by page. Doing it again changes nothing. A call without a known price keeps its cost. The spending under caps
 * and the costs shown on runs stay as they are.
 */
export const rerateUsage = useCase("billing.rerateUsage")(function* (command: RerateUsage) {
  let all: Rerated = { calls: 0, corrected: 0, deltaUsd: ZERO_USD }
  let after: CallId | undefined
  do {
    const { done, last }: Effect.Success<ReturnType<typeof correctPage>> = yield* correctPage(command, after)
    all = {
      calls: all.calls + done.calls,
      corrected: all.corrected + done.corrected,
      deltaUsd: plusUsd(all.deltaUsd, done.deltaUsd)
    }
    after = last
  } while (after !== undefined)
  return all
})
