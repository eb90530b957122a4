/** Triggers that come at the same moment, accepted in one transaction. */
import { type Created, restAmongPeers } from "@agent-platform/kernel"
import { makeBatcher } from "@agent-platform/toolkit"
import { Context, Effect, Layer, type Result } from "effect"
import type { Run } from "../Run.ts"
import { type AcceptanceRefusal, acceptRuns } from "./acceptRuns.ts"
import type { NeedsOwnTransaction, Trigger } from "./Trigger.ts"

/** Most runs of a batch. */
const RUNS_MAX = 32

/** Most batches at a time. While they are in flight, further triggers wait for the next. */
const BATCHES_MAX = 2

const acceptBatch = (triggers: ReadonlyArray<Trigger<unknown>>) =>
  Effect.tapDefect(acceptRuns(triggers, "shared"), (defect) =>
    Effect.logWarning("Runs could not be accepted together, and are accepted one by one", defect)
  )

/** How this process accepts triggers together. */
export class BatchedAcceptance extends Context.Service<
  BatchedAcceptance,
  {
    /**
     * Returns once the batch is committed. Dies when its transaction failed, for any reason: `acceptRun` then accepts the trigger by
     * itself. The run may exist all the same: the answer of a commit can be lost.
     */
    readonly accept: <E>(
      trigger: Trigger<E>
    ) => Effect.Effect<Result.Result<Created<Run>, E | AcceptanceRefusal | NeedsOwnTransaction>>
  }
>()("@agent-platform/runs/BatchedAcceptance") {
  static readonly layer = Layer.effect(
    BatchedAcceptance,
    Effect.gen(function* () {
      const rest = yield* restAmongPeers("accepting runs")
      const accept = yield* makeBatcher({ itemsMax: RUNS_MAX, batchesMax: BATCHES_MAX, runBatch: acceptBatch, rest })
      // The batcher has one type for all triggers; each is refused by its own plan's errors or by those common to all.
      return { accept: accept as BatchedAcceptance["Service"]["accept"] }
    })
  )
}
