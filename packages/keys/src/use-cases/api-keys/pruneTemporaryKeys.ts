import { atomic } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import { ApiKeyStore } from "../../ports/ApiKeyStore.ts"

/** How long a temporary key is kept after its end, in hours: as long as a repetition of its creation can ask for it. */
const KEPT_HOURS = 24

/** Most keys that go in one transaction. */
const PORTION = 1_000

/** Forgets temporary keys a day after they expired. Answers how many. */
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
