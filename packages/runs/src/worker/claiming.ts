import { restAmongPeers, Signals } from "@agent-platform/kernel"
import { untilDone } from "@agent-platform/toolkit"
import { Effect, FiberMap, Queue } from "effect"
import { CheckpointStore } from "../ports/CheckpointStore.ts"
import type { ClaimedRun } from "../ports/RunQueue.ts"
import { RUNS_READY } from "../signals.ts"
import { beginRuns } from "../use-cases/beginRuns.ts"
import { handBackClaims } from "../use-cases/handBackClaims.ts"
import { makeClaimers } from "./claimers.ts"
import { makeExecution } from "./Execution.ts"
import { executeRun } from "./executeRun.ts"
import type { InFlight } from "./InFlight.ts"
import type { RunWorkerOptions } from "./RunWorkerOptions.ts"
import type { RunWriter } from "./RunWriter.ts"
import { hasUsedUp, NO_TURNS, sharesOf, turnsAfter } from "./shares.ts"

/**
 * The runs that a claim left: more that can be claimed at once, some that lack a share, or none. With every slot taken nothing was claimed.
 */
type Left = "due" | "short" | "none" | "full"

/** Claims runs for the free slots and begins to execute them, then waits until there may be more to claim. */
export const makeClaiming = Effect.fnUntraced(function* (
  inFlight: InFlight,
  writer: RunWriter,
  options: RunWorkerOptions
) {
  const { batchMax, concurrencyMax, leaseSeconds, pollSeconds } = options
  const { executions, fibers, freed } = inFlight
  const checkpoints = yield* CheckpointStore
  const signals = yield* Signals
  const ready = yield* signals.listen(RUNS_READY)
  const rest = yield* restAmongPeers("beginning runs")
  const claimers = yield* makeClaimers(leaseSeconds)
  let after = NO_TURNS

  const begin = (claimed: ClaimedRun) => {
    const execution = makeExecution(claimed, writer, checkpoints)
    executions.add(execution)
    return FiberMap.run(fibers, claimed.claimToken, Effect.interruptible(executeRun(execution, inFlight, options)))
  }

  const claim = Effect.fnUntraced(function* () {
    const free = concurrencyMax - executions.size
    if (free <= 0) return "full" satisfies Left
    const held = Array.from(executions, ({ claimed }) => claimed.run)
    const shares = sharesOf(held, { max: concurrencyMax, free })
    const max = Math.min(batchMax, free)
    const beginning = Effect.gen(function* () {
      for (const by of claimers.unanswered()) yield* handBackClaims(by)
      return yield* claimers.named((by) => beginRuns({ by, max, shares, after, leaseSeconds }))
    })
    const { claimed, last } = yield* untilDone("Beginning runs", beginning)
    after = turnsAfter(after, claimed, last)
    yield* Effect.forEach(claimed, begin, { discard: true })
    const left: Left = claimed.length >= max ? "due" : hasUsedUp(shares, claimed) ? "short" : "none"
    return left
  })

  // Not interruptible: claimed runs must get in flight here, so that a stopping worker hands them back.
  return Effect.flatMap(
    Effect.timed(Effect.uninterruptible(Effect.suspend(claim))),
    ([took, left]): Effect.Effect<void> => {
      if (left === "due") return Effect.void
      const signalled = ready(pollSeconds)
      const waited = left === "none" ? signalled : Effect.raceFirst(signalled, Queue.take(freed))
      return left === "full" ? waited : Effect.andThen(rest(took), waited)
    }
  )
})
