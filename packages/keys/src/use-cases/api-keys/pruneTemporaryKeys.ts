import { atomic } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import { ApiKeyStore } from "../../ports/ApiKeyStore.ts"

/** How long a temporary key is kept after its end, in hours: as long as its creation can be replayed. */
const KEPT_HOURS = 24

/** Most keys that one transaction removes. */
const PORTION = 1_000

/** Removes temporary keys a day after they expired, and returns how many. */
export const pruneTemporaryKeys = useCase("keys.pruneTemporaryKeys")(function* () {
  const store = yield* ApiKeyStore
  const expiredBy = DateTime.subtract(yield* DateTime.now, { hours: KEPT_HOURS })
  let total = 0
  while (true) {
    const pruned = yield* atomic(store.pruneTemporary(expiredBy, PORTION))
    total += pruned
    if (pruned < PORTION) return total
  }
})
