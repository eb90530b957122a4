import type { PageRequest, WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, Schema } from "effect"
import type { Span } from "../../BillingMonth.ts"
import type { KeySource } from "../../LedgerEntry.ts"
import { ZERO_USD } from "../../Money.ts"
import { CallLedger } from "../../ports/CallLedger.ts"
import { RunSummaries, type RunTimes } from "../../ports/RunSummaries.ts"
import { UsageReadings } from "../../ports/UsageReadings.ts"
import { plusUsd } from "../../UsageCells.ts"

/** No such run in the caller's workspace. */
export class BilledRunNotFound extends Schema.TaggedError<BilledRunNotFound>()("BilledRunNotFound", {}) {}

/** A question for the calls of a run. */
export interface ReadRunCosts {
  readonly caller: WorkspaceCaller
  readonly runId: string
}

/** A question for the calls of a run, page by page. */
export interface ListRunRequests extends ReadRunCosts {
  readonly page: PageRequest
}

/**
 * A call may seem to be made before its run was created, where the clocks of two servers differ, and is made after the run's end where
 * a worker that was given up as lost goes on.
 */
const SLACK = { days: 1 }

/** The span in which calls of the run can have been made. */
const calledIn = ({ createdAt, finishedAt }: RunTimes, now: DateTime.Utc): Span => ({
  start: DateTime.subtract(createdAt, SLACK),
  end: DateTime.add(finishedAt ?? now, SLACK)
})

const spanOfRun = Effect.fnUntraced(function* ({ caller, runId }: ReadRunCosts) {
  const runs = yield* RunSummaries
  const times = yield* runs.find(caller.workspaceId, runId)
  return times === undefined ? yield* new BilledRunNotFound() : calledIn(times, yield* DateTime.now)
})

/** The cost of a run up to now, by model and by whose key paid, and the amount that is reserved for its calls under way. */
export const readRunCosts = useCase("billing.readRunCosts")(function* (query: ReadRunCosts) {
  const { caller, runId } = query
  const called = yield* spanOfRun(query)
  const readings = yield* UsageReadings
  const ledger = yield* CallLedger
  const items = yield* readings.runCosts(caller.workspaceId, runId, called)
  const { reservedUsd } = yield* ledger.run(caller.workspaceId, runId)
  const costOf = (keySource?: KeySource) =>
    items
      .filter((item) => keySource === undefined || item.keySource === keySource)
      .reduce((sum, { costUsd }) => plusUsd(sum, costUsd), ZERO_USD)
  return {
    items,
    reservedUsd,
    totalCostUsd: costOf(),
    byokCostUsd: costOf("byok"),
    platformCostUsd: costOf("platform"),
    unpricedRequests: items.reduce((sum, { unpricedRequests }) => sum + unpricedRequests, 0)
  }
})

/** The model calls of a run that are settled, newest first. */
export const listRunRequests = useCase("billing.listRunRequests")(function* (query: ListRunRequests) {
  const { caller, page, runId } = query
  const called = yield* spanOfRun(query)
  const readings = yield* UsageReadings
  return yield* readings.runRequests(caller.workspaceId, runId, called, page)
})
