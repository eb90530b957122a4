/** Started by `start`: deliveries, replays, and the chores that keep the tables in shape. Any number of processes may do it. */
import { pruneReplays, startDeliveryWorker, startReplayPoll, tidyHistory } from "@agent-platform/webhooks"
import { Effect } from "effect"
import { everySeconds } from "../internal/chores.ts"
import type { WebhooksSettings } from "./options.ts"

/** Months are prepared two ahead and kept by days, so that a few times a day is often. */
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
