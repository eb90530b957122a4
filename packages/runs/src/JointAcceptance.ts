/** Runs that are triggered at the same moment, accepted in one transaction. */
import { makeJoint } from "@agent-platform/kernel"
import { Context, Effect, Layer } from "effect"
import type { Run } from "./Run.ts"
import { acceptTogether, type Newcomer } from "./use-cases/acceptTogether.ts"

/** Most runs of a transaction. */
const RUNS_MAX = 32

/** Most transactions at a time. While they are under way, what comes waits for the next. */
const TRANSACTIONS_MAX = 2

const make = makeJoint({ itemsMax: RUNS_MAX, groupsMax: TRANSACTIONS_MAX, together: acceptTogether })

/** How this process accepts runs together. */
export class JointAcceptance extends Context.Service<
  JointAcceptance,
  {
    /**
     * The run, once it is committed; undefined for one that was left out and is to be accepted by itself. Dies when the
     * transaction failed, whatever the reason. The run may be there all the same: the answer of a commit can be lost.
     */
    readonly accept: (newcomer: Newcomer) => Effect.Effect<Run | undefined>
  }
>()("@agent-platform/runs/JointAcceptance") {
  static readonly layer = Layer.effect(
    JointAcceptance,
    Effect.map(make, (accept) => ({ accept }))
  )
}
