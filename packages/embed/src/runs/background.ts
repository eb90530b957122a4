/** Started by `start`: the worker, which recovers and expires runs as well, and what makes old runs smaller and forgets them. */
import { compressLogs, forgetRuns, LOG_COMPRESSED_AFTER_SECONDS, startRunWorker } from "@agent-platform/runs"
import { Effect } from "effect"
import { everySeconds } from "../internal/chores.ts"
import type { RunsSettings } from "./options.ts"

const FORGET_SECONDS = 6 * 3_600
const COMPRESS_SECONDS = 3_600

/** Runs until the scope closes. */
export const startBackground = Effect.fnUntraced(function* (settings: RunsSettings) {
  const { concurrencyMax, drainSeconds, historyDays, pollSeconds } = settings
  yield* startRunWorker({ concurrencyMax, drainSeconds, pollSeconds })
  const compress = compressLogs({
    afterSeconds: LOG_COMPRESSED_AFTER_SECONDS,
    after: undefined,
    onPortion: () => Effect.void
  })
  yield* everySeconds(COMPRESS_SECONDS, "Compressing logs", compress)
  if (historyDays === undefined) return
  const forget = forgetRuns({ days: historyDays, after: undefined, onPortion: () => Effect.void })
  yield* everySeconds(FORGET_SECONDS, "Forgetting old runs", forget)
})
