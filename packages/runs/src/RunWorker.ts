/** The run worker: claims queued runs, executes them by their recipes, recovers those whose worker is gone. */
import {
  inTrace,
  makeLine,
  type PlaceInLine,
  persistently,
  Signals,
  untilDone,
  whileRunning
} from "@agent-platform/kernel"
import { DateTime, Deferred, Effect, FiberMap, Option, Queue, type Scope } from "effect"
import { type Execution, makeExecution, type Outcome } from "./Execution.ts"
import { executeTurn } from "./executeTurn.ts"
import { measureBeginning, runsExecuting } from "./measures.ts"
import { CheckpointStore } from "./ports/CheckpointStore.ts"
import { RunStore } from "./ports/RunStore.ts"
import { cancelled, handedBack, type Run } from "./Run.ts"
import { RUN_WORKER_DEFAULTS, type RunWorkerOptions } from "./RunWorkerOptions.ts"
import { makeRunWriter } from "./RunWriter.ts"
import { RUNS_READY, runCancelRequested } from "./signals.ts"
import { beginRuns } from "./use-cases/beginRuns.ts"
import { recoverRuns } from "./use-cases/recoverRuns.ts"
import { wakeRuns } from "./use-cases/wakeRuns.ts"
import { hasUsedUp, NO_TURNS, sharesOf, turnsAfter } from "./workerShares.ts"

type ExecutionPorts = Effect.Services<ReturnType<typeof executeTurn>>

export type RunWorkerPorts =
  | ExecutionPorts
  | CheckpointStore
  | RunStore
  | Signals
  | Effect.Services<typeof makeRunWriter>
  | Effect.Services<ReturnType<typeof beginRuns>>
  | Effect.Services<ReturnType<typeof recoverRuns>>

/** How long a stopping worker waits for recipes that it has interrupted. */
const STOP_PATIENCE = "2 seconds"

/** How long it then takes at most to hand back what has not ended. */
const HAND_BACK_MAX = "5 seconds"

const CANCELLED: Outcome = { becomes: (now) => (current) => cancelled(current, now), bytes: 0 }

/**
 * Starts a worker that runs until the scope closes. Closing claims nothing new, lets runs end for `drainSeconds`, and
 * hands the others back without losing an attempt.
 */
export const startRunWorker = Effect.fnUntraced(function* (
  overrides: Partial<RunWorkerOptions> = {}
): Effect.fn.Return<void, never, RunWorkerPorts | Scope.Scope> {
  const options = { ...RUN_WORKER_DEFAULTS, ...overrides }
  const { concurrencyMax, graceSeconds, leaseSeconds } = options
  const checkpoints = yield* CheckpointStore
  const runs = yield* RunStore
  const signals = yield* Signals
  const writer = yield* makeRunWriter
  const held = makeLine<Execution>()
  const executing = yield* FiberMap.make<string, void, never>()
  const freed = yield* Queue.sliding<void>(1)
  const renewNow = yield* Queue.sliding<void>(1)

  /**
   * Runs a turn while its holder hears of cancellations. Whether one was asked for is learnt by renewing: a signal may come
   * for nothing, and none may come.
   */
  const hearing = Effect.fnUntraced(function* <A>(run: Run, effect: Effect.Effect<A, never, ExecutionPorts>) {
    const asked = yield* signals.listen(runCancelRequested(run.id))
    const renewals = Effect.forever(
      Effect.andThen(
        asked(3600),
        Effect.sync(() => Queue.offerUnsafe(renewNow, undefined))
      )
    )
    return yield* Effect.raceFirst(effect, renewals)
  }, Effect.scoped)

  const execute = Effect.fnUntraced(
    function* ({ item: execution }: PlaceInLine<Execution>) {
      const { checkpoint, claimed, refusal, stopped, writes } = execution
      const turn = Effect.raceFirst(executeTurn(execution, options), Deferred.await(stopped))
      const outcome = yield* hearing(claimed.run, turn)
      const now = yield* DateTime.now
      // What it did before may be refused until that is written.
      const after = (current: Run) => (refusal() ?? outcome).becomes(now)(current)
      const settle = Effect.suspend(() => {
        execution.settling = true
        return writes.settle({ becomes: after, bytes: outcome.bytes, checkpointed: checkpoint.isUsed() })
      })
      const { lost } = yield* Effect.uninterruptible(settle)
      if (lost) yield* Effect.logWarning(`The claim on run ${claimed.run.id} was lost, what it came to is not written`)
    },
    (effect, place) => {
      const { claimed } = place.item
      return Effect.andThen(measureBeginning(claimed.run), effect).pipe(
        whileRunning(runsExecuting),
        inTrace("runs.execute", {
          trace: claimed.run.trace,
          kind: "consumer",
          attributes: { run_id: claimed.run.id, recipe: claimed.run.recipe, attempt: claimed.run.attempt }
        }),
        Effect.annotateLogs({ run_id: claimed.run.id, workspace_id: claimed.run.workspaceId }),
        Effect.ensuring(
          Effect.sync(() => {
            held.leave(place)
            Queue.offerUnsafe(freed, undefined)
          })
        )
      )
    }
  )

  const handBack = ({ checkpoint, writes }: Execution) =>
    Effect.flatMap(DateTime.now, (now) =>
      writes.settle({ becomes: (run) => handedBack(run, now), bytes: 0, checkpointed: checkpoint.isUsed() })
    )

  const drain = Effect.gen(function* () {
    yield* Effect.timeoutOption(FiberMap.awaitEmpty(executing), `${options.drainSeconds} seconds`)
    const left = [...held.items()]
    if (left.length === 0) return
    yield* Effect.logInfo(`Handing back ${left.length} runs that have not ended`)
    // One that does not stop is handed back all the same: what it still writes is dropped.
    yield* Effect.timeoutOption(FiberMap.clear(executing), STOP_PATIENCE)
    const handedBack = Effect.forEach(left, handBack, { concurrency: "unbounded", discard: true })
    yield* Effect.timeoutOption(handedBack, HAND_BACK_MAX)
    // What cannot be written now is another worker's once its lease ends: nothing waits for it here.
    for (const { writes } of left) writes.abandon()
  })

  const renew = Effect.gen(function* () {
    yield* Effect.raceFirst(Effect.sleep(`${options.renewSeconds} seconds`), Queue.take(renewNow))
    const executions = [...held.items()]
    if (executions.length === 0) return
    const still = yield* runs.renew(
      executions.map(({ claimed }) => claimed.claimToken),
      { leaseSeconds }
    )
    for (const execution of executions) {
      const token = execution.claimed.claimToken
      const cancelRequestedAt = still.get(token)
      if (cancelRequestedAt === null || execution.settling || !FiberMap.hasUnsafe(executing, token)) continue
      if (cancelRequestedAt !== undefined) {
        yield* Deferred.succeed(execution.stopped, CANCELLED)
        continue
      }
      yield* Effect.logWarning(`The claim on run ${execution.claimed.run.id} was lost, its execution is stopped`)
      // Not waited for: the leases of all others would end with a recipe that does not stop.
      const fiber = Option.getOrUndefined(FiberMap.getUnsafe(executing, token))
      fiber?.interruptUnsafe()
    }
  })

  // While the store is away nobody can renew, and every lease ends. Once it is back the living renew first.
  let away = false
  const recover = Effect.gen(function* () {
    yield* Effect.sleep(`${options.recoverSeconds} seconds`)
    if (away) {
      yield* runs.renew([], { leaseSeconds })
      away = false
      yield* Effect.sleep(`${2 * options.renewSeconds} seconds`)
    }
    yield* recoverRuns({ graceSeconds })
  }).pipe(
    Effect.onError(() =>
      Effect.sync(() => {
        away = true
      })
    )
  )

  const next = yield* signals.listen(RUNS_READY)
  let after = NO_TURNS
  // Not interruptible: what was claimed must be held here, or the stopping worker would forget to hand it back.
  const claim = Effect.uninterruptible(
    Effect.gen(function* () {
      const free = concurrencyMax - held.size()
      if (free <= 0) return "short"
      const mine = Array.from(held.items(), ({ claimed }) => claimed.run)
      const shares = sharesOf(mine, { max: concurrencyMax, free })
      const max = Math.min(options.batchMax, free)
      const request = { max, shares, after, leaseSeconds }
      const { claimed, last } = yield* untilDone("Beginning runs", beginRuns(request))
      after = turnsAfter(after, claimed, last)
      for (const one of claimed) {
        const place = held.join(makeExecution(one, writer, checkpoints))
        yield* FiberMap.run(executing, one.claimToken, Effect.interruptible(execute(place)))
      }
      if (claimed.length >= max) return "full"
      return hasUsedUp(shares, claimed) ? "short" : "done"
    })
  )
  // Whoever has taken all that was due is told of more; that a slot gets free makes none due.
  const claimOrWait = Effect.flatMap(claim, (taken) => {
    if (taken === "full") return Effect.void
    const told = next(options.pollSeconds)
    return taken === "short" ? Effect.raceFirst(told, Queue.take(freed)) : told
  })
  const wake = Effect.andThen(Effect.sleep(`${options.pollSeconds} seconds`), wakeRuns())

  // Finalizers run in the reverse order: claiming stops first, then the drain, while renewing and writing go on.
  yield* Effect.forkScoped(persistently("Renewing claims", renew))
  yield* Effect.addFinalizer(() => drain)
  yield* Effect.forkScoped(persistently("Claiming runs", claimOrWait))
  yield* Effect.forkScoped(persistently("Waking scheduled runs", wake))
  yield* Effect.forkScoped(persistently("Recovering runs", recover))
})
