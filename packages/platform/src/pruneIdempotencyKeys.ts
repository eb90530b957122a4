import { Idempotency, UnitOfWork } from "@agent-platform/kernel"
import { RunReader } from "@agent-platform/runs"
import { type DateTime, Effect } from "effect"

/** How many keys are looked at in one transaction. */
const PORTION = 1_000

/** Forgets idempotency keys after a day, except those whose run has not ended. Returns how many. */
export const pruneIdempotencyKeys = Effect.gen(function* () {
  const unit = yield* UnitOfWork
  const keys = yield* Idempotency
  const runs = yield* RunReader
  let after: DateTime.Utc | undefined
  let count = 0
  while (true) {
    const { last, pruned } = yield* unit.atomic(keys.prune(runs.unfinishedAmong, { after, max: PORTION }))
    count += pruned
    if (last === undefined) return count
    after = last
  }
})
