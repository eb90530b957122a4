import { atomic } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import { LoginStore } from "../../ports/LoginStore.ts"

/** How many of each go in one transaction. */
const PORTION = 1_000

/** Forgets logins that were not completed in time, and sessions of the greatest age. */
export const pruneLogins = useCase("keys.pruneLogins")(function* () {
  const store = yield* LoginStore
  const now = yield* DateTime.now
  let [attempts, sessions] = [0, 0]
  while (true) {
    const gone = yield* atomic(store.prune(now, PORTION))
    attempts += gone.attempts
    sessions += gone.sessions
    if (gone.attempts < PORTION && gone.sessions < PORTION) return { attempts, sessions }
  }
})
