/** The work that `start` starts: deliveries, replays, and the tidying of tables. Any number of processes may do it. */
import { pruneReplays, startDeliveryWorker, startReplayPoll, tidyHistory } from "@agent-platform/webhooks"
import { Effect } from "effect"
import { everySeconds } from "../internal/chores.ts"
import type { WebhooksSettings } from "./options.ts"

/** Often enough: months are prepared two ahead, and history is kept by days. */
const TIDY_SECONDS = 6 * 3_600

/** Runs until the scope closes. */
export const startBackground = Effect.fnUntraced(function* (settings: WebhooksSettings) {
  const { headerPrefix, historyDays, pollSeconds, retryDelaysSeconds, userAgent } = settings
  yield* startDeliveryWorker({ headerPrefix, pollSeconds, retryDelaysSeconds, userAgent })
  yield* startReplayPoll()
  // Each is a bounded transaction that finds nothing to do where another process has just done it.
  const tidy = Effect.all([tidyHistory(historyDays), pruneReplays(historyDays)], { discard: true })
  yield* everySeconds(TIDY_SECONDS, "Tidying webhooks", tidy)
})
