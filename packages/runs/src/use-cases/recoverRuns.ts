import { atomic } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { logFailures } from "../logFailures.ts"
import { RunQueue } from "../ports/RunQueue.ts"
import { Run } from "../Run.ts"
import { workerOf } from "../worker/claimers.ts"
import { type Settlement, settleRuns } from "./settleRuns.ts"

/** Most runs of each kind that are recovered in one transaction. */
const BATCH_MAX = 100

/** How long a run may go on after its cancellation was asked for, in seconds. Spec: Run 5. */
export const CANCEL_GRACE_SECONDS = 10

/** The log line about a run that was taken from its worker. */
const lostLine = (run: Run, after: Run, claimToken: string): string =>
  `Run ${run.id} of workspace ${run.workspaceId} was taken from worker ${workerOf(claimToken)}, which ` +
  `${run.cancelRequestedAt === null ? "did not renew its claim in time" : "went on after its cancellation"} ` +
  `(attempt ${run.attempt} of ${run.maxAttempts}): ${after.status === "queued" ? "queued again" : (after.errorCode ?? after.status)}`

const recoverSome = Effect.fnUntraced(function* (graceSeconds: number) {
  const queue = yield* RunQueue
  const now = yield* DateTime.now
  const found = new Map<string, Settlement>()
  const kinds = [
    [yield* queue.overdue({ max: BATCH_MAX, graceSeconds }), Run.cancelled],
    [yield* queue.lapsed({ max: BATCH_MAX }), Run.lost],
    [yield* queue.expired({ max: BATCH_MAX }), Run.expired]
  ] as const
  for (const [held, become] of kinds) {
    for (const one of held) {
      // A run that is overdue and lapsed is cancelled: the first kind wins.
      if (!found.has(one.run.id)) found.set(one.run.id, { ...one, events: [], becomes: (run) => become(run, now) })
    }
  }
  const changed = yield* settleRuns([...found.values()])
  const lost = changed.flatMap((after) => {
    const { claimToken, run } = found.get(after.id) as Settlement
    return claimToken === null ? [] : [lostLine(run, after, claimToken)]
  })
  return { changed, lost, count: found.size, more: kinds.some(([held]) => held.length === BATCH_MAX) }
})

/**
 * Recovers runs that no worker ends: those whose worker is gone, those expired before they began, and those that went on beyond the
 * grace of a cancellation. What becomes of each is decided by `Run.lost`, `Run.expired` and `Run.cancelled`. Returns how many. Any number of workers may do it at once.
 */
export const recoverRuns = useCase("runs.recoverRuns")(function* (
  options: { readonly graceSeconds?: number | undefined } = {}
) {
  const { graceSeconds = CANCEL_GRACE_SECONDS } = options
  let count = 0
  while (true) {
    const recovered = yield* atomic(recoverSome(graceSeconds))
    for (const line of recovered.lost) yield* Effect.logWarning(line)
    yield* logFailures(recovered.changed)
    count += recovered.count
    if (!recovered.more) return count
  }
})
