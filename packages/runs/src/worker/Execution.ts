/** A claimed run that this worker executes, the bounds on its output, and what stops it. */
import { isTooDeep, NESTING_MAX } from "@agent-platform/kernel"
import { type DateTime, Deferred, Effect, type Schema } from "effect"
import type { CheckpointStore } from "../ports/CheckpointStore.ts"
import type { ClaimedRun } from "../ports/RunQueue.ts"
import { type Ending, failure, Run, type RunErrorCode } from "../Run.ts"
import { jsonBytes } from "../utf8.ts"
import type { RunWriter, RunWrites } from "./RunWriter.ts"
import { turnCheckpoint, type WatchedCheckpoint } from "./turnCheckpoint.ts"

/** A run's next state, and how many bytes of JSON it takes to write. */
export interface Outcome {
  /** Takes the time of the outcome first, and then the run as it reads under the lock of the transaction that writes it. */
  readonly becomes: (now: DateTime.Utc) => (current: Run) => Run
  /** Where there is no outcome yet: for how long the run is left to its agent, which calls back. */
  readonly awaitsSeconds?: number | undefined
  readonly bytes: number
}

export const outcomeOf = (ending: Ending): Outcome => ({
  becomes: (now) => (current) => Run.finished(current, ending, now),
  bytes: jsonBytes({ ...ending })
})

/** The outcome of a turn whose agent calls back. A run that goes on without its worker does not change. */
export const awaiting = (seconds: number): Outcome => ({
  becomes: () => (run) => run,
  bytes: 0,
  awaitsSeconds: seconds
})

export interface Execution {
  readonly claimed: ClaimedRun
  readonly writes: RunWrites
  readonly checkpoint: WatchedCheckpoint
  /** Completed when its recipe is to be stopped, with the outcome of the run. */
  readonly stopped: Deferred.Deferred<Outcome>
  /** Fails the run for its output, whatever the outcome of its recipe, and takes no more output. */
  readonly refuse: (errorCode: RunErrorCode, error: string) => void
  /** The outcome of a run whose output was refused; undefined while none was. */
  readonly refusal: () => Outcome | undefined
  /** Whether its outcome is being written: that ends the claim, so a renewal cannot tell whether the claim was lost. */
  settling: boolean
}

/** Most bytes of JSON of a checkpoint, and most levels: a conversation holds values that may be as deep as `NESTING_MAX`. */
const CHECKPOINT_BYTES_MAX = 8 * 1024 * 1024
const CHECKPOINT_NESTING_MAX = 2 * NESTING_MAX

/** An execution that has not begun. */
export const makeExecution = (
  claimed: ClaimedRun,
  writer: RunWriter,
  checkpoints: CheckpointStore["Service"]
): Execution => {
  const stopped = Deferred.makeUnsafe<Outcome>()
  let refusal: Outcome | undefined
  const refuse = (errorCode: RunErrorCode, error: string) => {
    refusal ??= outcomeOf(failure(errorCode, error))
    Deferred.doneUnsafe(stopped, Effect.succeed(refusal))
  }
  const writes = writer.open(claimed, () => refuse("internal_error", "What the run did could not be stored"))
  /** The bytes of a state; refuses it, and returns undefined, where it is too deep or too large. */
  const sizeOf = (state: Schema.Json): number | undefined => {
    if (isTooDeep(state, CHECKPOINT_NESTING_MAX)) {
      refuse("agent_error", `The run's checkpoint is nested deeper than ${CHECKPOINT_NESTING_MAX} levels`)
      return undefined
    }
    const bytes = jsonBytes(state)
    if (bytes <= CHECKPOINT_BYTES_MAX) return bytes
    refuse("output_too_large", `The run's checkpoint is larger than ${CHECKPOINT_BYTES_MAX} bytes`)
    return undefined
  }
  const save = (state: Schema.Json, kept: boolean) =>
    Effect.suspend(() => {
      const bytes = refusal === undefined ? sizeOf(state) : undefined
      // The refusal stops the recipe; false would say that the claim was lost.
      if (bytes === undefined) return Effect.as(Effect.yieldNow, true)
      return Effect.map(writes.save({ state, kept }, bytes), (saved) => saved || refusal !== undefined)
    })
  return {
    claimed,
    writes,
    checkpoint: turnCheckpoint(claimed, checkpoints, save),
    stopped,
    refuse,
    refusal: () => refusal,
    settling: false
  }
}
