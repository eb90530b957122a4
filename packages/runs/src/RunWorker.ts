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
import { Cause, DateTime, Deferred, Effect, FiberMap, Option, Queue, type Scope } from "effect"
import { measureBeginning, runsExecuting } from "./measures.ts"
import { AgentRunner } from "./ports/AgentRunner.ts"
import { CheckpointStore } from "./ports/CheckpointStore.ts"
import { type ClaimedRun, RunStore } from "./ports/RunStore.ts"
import { cancelled, finished, handedBack, type Run, type TurnOutcome } from "./Run.ts"
import { keptData } from "./RunEvent.ts"
import { RUN_WORKER_DEFAULTS, type RunWorkerOptions } from "./RunWorkerOptions.ts"
import { makeRunWriter } from "./RunWriter.ts"
import { RUNS_READY, runCancelRequested } from "./signals.ts"
import { turnCheckpoint, type WatchedCheckpoint } from "./turnCheckpoint.ts"
import { beginRuns } from "./use-cases/beginRuns.ts"
import { recoverRuns } from "./use-cases/recoverRuns.ts"
import { wakeRuns } from "./use-cases/wakeRuns.ts"
import { hasUsedUp, NO_TURNS, sharesOf, turnsAfter } from "./workerShares.ts"

export type RunWorkerPorts =
  | AgentRunner
  | CheckpointStore
  | RunStore
  | Signals
  | Effect.Services<typeof makeRunWriter>
  | Effect.Services<ReturnType<typeof beginRuns>>
  | Effect.Services<ReturnType<typeof recoverRuns>>

/** How long a stopping worker waits for recipes that it has interrupted. */
const STOP_PATIENCE = "2 seconds"

const timedOut = (seconds: number): TurnOutcome => ({
  _tag: "Failed",
  errorCode: "timed_out",
  error: `The run took longer than ${seconds} seconds`
})

const broken: TurnOutcome = {
  _tag: "Failed",
  errorCode: "internal_error",
  error: "The recipe failed unexpectedly"
}

/** A claimed run that this worker executes. */
interface Execution {
  readonly claimed: ClaimedRun
  /** Done once its cancellation was asked for. */
  readonly cancel: Deferred.Deferred<void>
  readonly checkpoint: WatchedCheckpoint
  /** Whether what becomes of it is being written: its claim ends by that, and only the writing tells whether it was lost. */
  settling: boolean
}

/**
 * Starts a worker that runs until the scope closes. Closing claims nothing new, lets runs end for `drainSeconds`, and
 * hands the others back without losing an attempt.
 */
export const startRunWorker = Effect.fnUntraced(function* (
  overrides: Partial<RunWorkerOptions> = {}
): Effect.fn.Return<void, never, RunWorkerPorts | Scope.Scope> {
  const options = { ...RUN_WORKER_DEFAULTS, ...overrides }
  const { concurrencyMax, graceSeconds, leaseSeconds } = options
  const runner = yield* AgentRunner
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
  const hearing = Effect.fnUntraced(function* <A>(run: Run, effect: Effect.Effect<A>) {
    const asked = yield* signals.listen(runCancelRequested(run.id))
    const renewals = Effect.forever(
      Effect.andThen(
        asked(3600),
        Effect.sync(() => Queue.offerUnsafe(renewNow, undefined))
      )
    )
    return yield* Effect.raceFirst(effect, renewals)
  }, Effect.scoped)

  const turn = ({ checkpoint, claimed }: Execution, { agent, run } = claimed) =>
    runner
      .execute({
        run,
        agent,
        emit: (type, data) =>
          Effect.flatMap(DateTime.now, (createdAt) =>
            writer.log(claimed, { type, createdAt, attempt: run.attempt, data: keptData(data) })
          ),
        checkpoint
      })
      .pipe(
        Effect.timeoutOrElse({
          duration: `${run.maxDurationSeconds} seconds`,
          orElse: () => Effect.succeed(timedOut(run.maxDurationSeconds))
        }),
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.failCause(cause)
            : Effect.as(Effect.logError(`Run ${run.id} failed unexpectedly`, cause), broken)
        ),
        Effect.map((outcome) => (now: DateTime.Utc) => (current: Run) => finished(current, outcome, now))
      )

  const execute = Effect.fnUntraced(
    function* ({ item: execution }: PlaceInLine<Execution>) {
      const { cancel, claimed } = execution
      const stopped = Effect.as(
        Deferred.await(cancel),
        (now: DateTime.Utc) => (current: Run) => cancelled(current, now)
      )
      const becomes = yield* hearing(claimed.run, Effect.raceFirst(turn(execution), stopped))
      const after = becomes(yield* DateTime.now)
      const settle = Effect.suspend(() => {
        execution.settling = true
        return writer.settle(claimed, after, execution.checkpoint.isUsed())
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

  const handBack = ({ checkpoint, claimed }: Execution) =>
    Effect.flatMap(DateTime.now, (now) =>
      writer.settle(claimed, (current) => handedBack(current, now), checkpoint.isUsed())
    )

  const drain = Effect.gen(function* () {
    yield* Effect.timeoutOption(FiberMap.awaitEmpty(executing), `${options.drainSeconds} seconds`)
    const left = [...held.items()]
    if (left.length === 0) return
    yield* Effect.logInfo(`Handing back ${left.length} runs that have not ended`)
    // One that does not stop is handed back all the same: what it still writes is dropped.
    yield* Effect.timeoutOption(FiberMap.clear(executing), STOP_PATIENCE)
    yield* Effect.forEach(left, handBack, { concurrency: "unbounded", discard: true })
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
        yield* Deferred.succeed(execution.cancel, undefined)
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
        const checkpoint = turnCheckpoint(one, checkpoints, (state) => writer.save(one, state))
        const place = held.join({ claimed: one, cancel: Deferred.makeUnsafe<void>(), checkpoint, settling: false })
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
