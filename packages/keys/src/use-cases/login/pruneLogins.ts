import { UnitOfWork, useCase } from "@agent-platform/kernel"
import { DateTime } from "effect"
import { LoginStore } from "../../ports/LoginStore.ts"

/** Forgets logins that were not completed in time, and sessions that have reached their greatest age. */
export const pruneLogins = useCase("keys.pruneLogins")(function* () {
  const store = yield* LoginStore
  const unit = yield* UnitOfWork
  return yield* unit.atomic(store.prune(yield* DateTime.now))
})
