/** The work that `start` starts: a worker, which recovers and expires runs as well, and a chore that compresses logs and forgets runs. */
import { compressLogs, forgetRuns, LOG_COMPRESSED_AFTER_SECONDS, startRunWorker } from "@agent-platform/runs"
import { Effect } from "effect"
import { everySeconds } from "../internal/chores.ts"
import type { RunsSettings } from "./options.ts"

const CHORES_SECONDS = 3_600

/** Runs until the scope closes. */
export const startBackground = Effect.fnUntraced(function* (settings: RunsSettings) {
  const { concurrencyMax, drainSeconds, historyDays, pollSeconds } = settings
  yield* startRunWorker({ concurrencyMax, drainSeconds, pollSeconds })
  const forget =
    historyDays === undefined
      ? Effect.void
      : forgetRuns({ days: historyDays, after: undefined, onPortion: () => Effect.void })
  const compress = compressLogs({
    afterSeconds: LOG_COMPRESSED_AFTER_SECONDS,
    after: undefined,
    onPortion: () => Effect.void
  })
  // One after the other: forgetting passes over a session whose logs are being compressed, and would leave it for the next time.
  yield* everySeconds(CHORES_SECONDS, "Forgetting old runs and compressing logs", Effect.andThen(forget, compress))
})
