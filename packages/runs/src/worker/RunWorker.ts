/**
 * The run worker: claims queued runs and executes them by their recipes. Any number of workers share one queue, the rows of
 * runs in the store, and know nothing of each other.
 *
 * - **Claim** (`claiming.ts`, `shares.ts`). A worker has slots, `concurrencyMax` of them. Whenever some are free, and a signal or
 *   the poll says that runs may be due, it claims at most that many in one transaction. Organizations and then workspaces take
 *   turns, and shares keep slots for those that hold none, so that long runs of one delay no other.
 * - **Lease and heartbeat** (`heartbeat.ts`). A claim is a fresh token with a lease of `leaseSeconds`. The heartbeat renews the
 *   leases of all runs in flight every `renewSeconds`. It is also how a worker learns that a run is to be cancelled, and that a
 *   claim was lost: then it stops the execution.
 * - **Fence.** Every write of a run shows the token of its claim, and the store writes nothing under a lost one. A slow worker
 *   thus changes nothing of a run that another has taken over.
 * - **Execution** (`executeRun.ts`, `executeTurn.ts`, `Execution.ts`, `turnCheckpoint.ts`). The recipe runs in a fiber of its
 *   own. Its output is bounded and redacted there, and unfit output fails the run. Its checkpoint is where the
 *   next attempt goes on.
 * - **Batch** (`RunWriter.ts`, `writeBatch.ts`). One writer gathers log events, checkpoints and outcomes of all runs for some
 *   milliseconds and writes them in one transaction. Those of one run stay in their order; a checkpoint is saved together with
 *   the events before it. Large and refused writes go apart from the others (`writeApart.ts`), and only their own runs wait for
 *   them.
 * - **Back-pressure.** A run with much that is unwritten waits in its next log event until that is written. A worker without a
 *   free slot claims nothing, and what it cannot take stays in the queue for others.
 * - **Recovery** (`recovery.ts`). Every worker looks for runs whose lease has ended and queues them again while attempts remain;
 *   for queued runs that have expired; and for runs that go on although their cancellation was asked for `graceSeconds` ago.
 * - **Drain** (`drain.ts`). A worker that stops claims nothing more and lets its runs end for `drainSeconds`, while
 *   heartbeats and writes go on. Then it interrupts the rest and hands it back, by which no attempt is lost.
 */
import { beginAtZero, persistently } from "@agent-platform/toolkit"
import { Effect, type Scope } from "effect"
import { runsExecuting } from "../measures.ts"
import { wakeRuns } from "../use-cases/wakeRuns.ts"
import { makeClaiming } from "./claiming.ts"
import { drain } from "./drain.ts"
import { heartbeat } from "./heartbeat.ts"
import { makeInFlight } from "./InFlight.ts"
import { RUN_WORKER_DEFAULTS, type RunWorkerOptions } from "./RunWorkerOptions.ts"
import { makeRunWriter } from "./RunWriter.ts"
import { makeRecovery } from "./recovery.ts"

/** The ports that an embedder provides to a worker. */
export type RunWorkerPorts = Exclude<
  | Effect.Services<typeof makeRunWriter>
  | Effect.Services<ReturnType<typeof makeClaiming>>
  | Effect.Services<Effect.Success<ReturnType<typeof makeClaiming>>>
  | Effect.Services<ReturnType<typeof heartbeat>>
  | Effect.Services<ReturnType<typeof makeRecovery>>
  | Effect.Services<ReturnType<typeof wakeRuns>>,
  Scope.Scope
>

/**
 * Starts a worker that runs until the scope closes. Closing claims nothing new, lets runs end for `drainSeconds`, and
 * hands the others back without losing an attempt.
 */
export const startRunWorker = Effect.fnUntraced(function* (
  overrides: Partial<RunWorkerOptions> = {}
): Effect.fn.Return<void, never, RunWorkerPorts | Scope.Scope> {
  const options = { ...RUN_WORKER_DEFAULTS, ...overrides }
  yield* beginAtZero(runsExecuting, [{}])
  const writer = yield* makeRunWriter
  const inFlight = yield* makeInFlight
  const wake = Effect.andThen(Effect.sleep(`${options.pollSeconds} seconds`), wakeRuns())

  // Finalizers run in the reverse order: claiming stops first, then the drain, while renewing and writing go on.
  yield* Effect.forkScoped(persistently("Renewing claims", heartbeat(inFlight, options)))
  yield* Effect.addFinalizer(() => drain(inFlight, options.drainSeconds))
  yield* Effect.forkScoped(persistently("Claiming runs", yield* makeClaiming(inFlight, writer, options)))
  yield* Effect.forkScoped(persistently("Waking scheduled runs", wake))
  yield* Effect.forkScoped(persistently("Recovering runs", makeRecovery(options)))
})
