import { Effect } from "effect"
import { RunQueue } from "../ports/RunQueue.ts"
import { recoverRuns } from "../use-cases/recoverRuns.ts"
import type { RunWorkerOptions } from "./RunWorkerOptions.ts"

/**
 * Recovers runs again and again, above all those of workers that are gone. While the store is away every lease ends unrenewed, so
 * once it is back recovery waits for two heartbeats, in which living workers renew their leases.
 */
export const makeRecovery = ({ graceSeconds, leaseSeconds, recoverSeconds, renewSeconds }: RunWorkerOptions) => {
  let isStoreAway = false
  const recover = Effect.fnUntraced(function* () {
    yield* Effect.sleep(`${recoverSeconds} seconds`)
    if (isStoreAway) {
      const queue = yield* RunQueue
      // Renews nothing: it fails while the store is still away.
      yield* queue.renew([], { leaseSeconds })
      isStoreAway = false
      yield* Effect.sleep(`${2 * renewSeconds} seconds`)
    }
    yield* recoverRuns({ graceSeconds })
  })
  return Effect.onError(recover(), () =>
    Effect.sync(() => {
      isStoreAway = true
    })
  )
}
