import { UnitOfWork } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { RunQueue } from "../ports/RunQueue.ts"
import { Run } from "../Run.ts"
import { settleRuns } from "./settleRuns.ts"

/** Hands back the runs of a claim whose answer never came, in one transaction: nobody began them, and no attempt is lost. */
export const handBackClaims = useCase("runs.handBackClaims")(function* (by: string) {
  const unit = yield* UnitOfWork
  const handBack = Effect.gen(function* () {
    const held = yield* RunQueue.use((queue) => queue.claimedBy(by))
    const now = yield* DateTime.now
    const becomes = (run: Run) => Run.handedBack(run, now)
    return yield* settleRuns(held.map((one) => ({ ...one, becomes, events: [] })))
  })
  const handedBack = yield* unit.atomic(handBack)
  if (handedBack.length > 0)
    yield* Effect.logWarning(`Handed back ${handedBack.length} runs whose claim was not answered`)
})
