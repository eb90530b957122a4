import { UnitOfWork } from "@agent-platform/kernel"
import { feedTables, MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect } from "effect"

/** Makes the minute of every tally be over. */
export const endMinute = () =>
  Effect.gen(function* () {
    const { tally } = feedTables(yield* MemoryDatabase)
    const unit = yield* UnitOfWork
    yield* unit.atomic(
      Effect.flatMap(tally.all, (rows) => Effect.forEach(rows, ({ key }) => tally.remove(key), { discard: true }))
    )
  })
