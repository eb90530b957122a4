import { atomic } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, type Effect } from "effect"
import { RunHistory } from "../ports/RunHistory.ts"
import type { RunId } from "../Run.ts"

/** How many runs are looked at in one transaction. */
const PORTION = 100

/** Logs are read while a run goes on and right after its end, and hardly ever an hour later. */
export const LOG_COMPRESSED_AFTER_SECONDS = 3_600

/**
 * Compresses the logs of runs that ended more than `afterSeconds` ago, one portion a transaction, and returns how many. Goes on
 * after the run `after`; `onPortion` gets how many were compressed and where it goes on. Safe to do at any time, twice and at once.
 */
export const compressLogs = useCase("runs.compressLogs")(function* (options: {
  readonly afterSeconds: number
  readonly after: RunId | undefined
  readonly onPortion: (logs: number, after: RunId) => Effect.Effect<void>
}) {
  const history = yield* RunHistory
  const before = DateTime.subtract(yield* DateTime.now, { seconds: options.afterSeconds })
  let { after } = options
  let logs = 0
  while (true) {
    const compressed = yield* atomic(history.compress({ before, after, limit: PORTION }))
    logs += compressed.logs
    if (compressed.last === undefined) return logs
    after = compressed.last
    yield* options.onPortion(logs, after)
  }
})
