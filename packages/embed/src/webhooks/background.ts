/** Started by `start`: deliveries, replays, and the chores that keep the tables in shape. Any number of processes may do it. */
import { persistently } from "@agent-platform/toolkit"
import { pruneReplays, startDeliveryWorker, startReplayPoll, tidyHistory } from "@agent-platform/webhooks"
import { Effect, Random } from "effect"
import type { WebhooksSettings } from "./options.ts"

/** Months are prepared two ahead and kept by days, so that a few times a day is often. */
const TIDY_HOURS = 6

/**
 * Prepares months, and forgets old ones and old replays. Each is a bounded transaction that finds nothing to do where another
 * process has just done it. A failure waits for the next time.
 */
export const tidy = Effect.fnUntraced(function* ({ historyDays }: Pick<WebhooksSettings, "historyDays">) {
  yield* Effect.all([tidyHistory(historyDays), pruneReplays(historyDays)], { discard: true }).pipe(
    Effect.catchCause((cause) => Effect.logError("Old webhooks could not be tidied up", cause))
  )
})

/** Runs until the scope closes. */
export const startBackground = Effect.fnUntraced(function* (settings: WebhooksSettings) {
  const { headerPrefix, pollSeconds, retryDelaysSeconds, userAgent } = settings
  yield* startDeliveryWorker({ headerPrefix, pollSeconds, retryDelaysSeconds, userAgent })
  yield* startReplayPoll()
  yield* Effect.forkScoped(
    persistently(
      "Tidying webhooks",
      Effect.gen(function* () {
        yield* tidy(settings)
        // Not all processes of a host at the same moment.
        yield* Effect.sleep(`${TIDY_HOURS * (0.8 + 0.4 * (yield* Random.next))} hours`)
      })
    )
  )
})
