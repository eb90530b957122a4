import { atomic } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import { LoginStore } from "../../ports/LoginStore.ts"

/** Most logins, and most sessions, that one transaction removes. */
const PORTION = 1_000

/** Removes logins that were not completed in time, and sessions that have reached their greatest age. */
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
