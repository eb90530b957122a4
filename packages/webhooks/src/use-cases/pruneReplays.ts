import { UnitOfWork } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import { ReplayStore } from "../ports/ReplayStore.ts"
import { HISTORY_DAYS } from "./tidyHistory.ts"

/** How many replays are forgotten in one transaction. */
const PORTION = 1_000

/**
 * Forgets replays that ended more than `days` ago, a portion in a transaction, and returns how many. Safe to do at any
 * time, repeatedly and at once.
 */
export const pruneReplays = useCase("webhooks.pruneReplays")(function* (days: number = HISTORY_DAYS) {
  const store = yield* ReplayStore
  const unit = yield* UnitOfWork
  const before = DateTime.subtract(yield* DateTime.now, { days })
  let count = 0
  while (true) {
    const pruned = yield* unit.atomic(store.prune(before, PORTION))
    count += pruned
    if (pruned < PORTION) return count
  }
})
