/** The run worker: claims queued runs, executes them by their recipes, recovers those whose worker is gone. */
import { JobSource, persistently, Signals, untilDone } from "@agent-platform/kernel"
import { Cause, DateTime, Effect, FiberMap, Queue, type Scope } from "effect"
import { executeRun } from "./jobs.ts"
import { AgentRunner } from "./ports/AgentRunner.ts"
import { type ClaimedRun, RunStore } from "./ports/RunStore.ts"
import { finished, handedBack, type TurnOutcome } from "./Run.ts"
import { finalEvent } from "./RunEvent.ts"
import { makeRunWriter } from "./RunWriter.ts"
import { storableRecord } from "./storable.ts"
import { beginRuns } from "./use-cases/beginRuns.ts"
import { recoverRuns } from "./use-cases/recoverRuns.ts"

/** How the worker works; the defaults suit two cores. */
export interface RunWorkerOptions {
  /** Runs executed at once. */
  readonly concurrencyMax: number
  /** Runs claimed in one transaction. */
  readonly batchMax: number
  /** A claim lapses this long after its last renewal; then the run counts as lost. */
  readonly leaseSeconds: number
  readonly renewSeconds: number
  /** How often lapsed claims are looked for. Together with the lease: a dead worker is noticed within 15 seconds. */
  readonly recoverSeconds: number
  /** How often work is looked for when no signal comes. */
  readonly pollSeconds: number
  /** How long runs may go on when the worker is told to stop; those that have not ended then are handed back. */
  readonly drainSeconds: number
}

export const RUN_WORKER_DEFAULTS: RunWorkerOptions = {
  concurrencyMax: 100,
  batchMax: 50,
  leaseSeconds: 10,
  renewSeconds: 3,
  recoverSeconds: 2,
  pollSeconds: 1,
  drainSeconds: 15
}

export type RunWorkerPorts =
  | AgentRunner
  | JobSource
  | RunStore
  | Signals
  | Effect.Services<typeof makeRunWriter>
  | Effect.Services<ReturnType<typeof beginRuns>>
  | Effect.Services<ReturnType<typeof recoverRuns>>

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

/**
 * Starts a worker that runs until the scope closes. Closing claims nothing new, lets runs end for `drainSeconds`, and
 * hands the others back without losing an attempt.
 */
export const startRunWorker = Effect.fnUntraced(function* (
  overrides: Partial<RunWorkerOptions> = {}
): Effect.fn.Return<void, never, RunWorkerPorts | Scope.Scope> {
  const options = { ...RUN_WORKER_DEFAULTS, ...overrides }
  const runner = yield* AgentRunner
  const runs = yield* RunStore
  const source = yield* JobSource
  const signals = yield* Signals
  const writer = yield* makeRunWriter
  const held = new Map<string, ClaimedRun>()
  const executing = yield* FiberMap.make<string, void, never>()
  const freed = yield* Queue.sliding<void>(1)

  const execute = Effect.fnUntraced(
    function* (claimed: ClaimedRun) {
      const { agent, run } = claimed
      const outcome = yield* runner
        .execute({
          run,
          agent,
          emit: (type, data) =>
            Effect.flatMap(DateTime.now, (createdAt) =>
              writer.log(claimed, { type, createdAt, attempt: run.attempt, data: storableRecord(data) })
            )
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
          )
        )
      const after = finished(run, outcome, yield* DateTime.now)
      yield* Effect.uninterruptible(writer.settle(claimed, after, [finalEvent(after)]))
    },
    (effect, claimed) =>
      effect.pipe(
        Effect.annotateLogs({ run_id: claimed.run.id, workspace_id: claimed.run.workspaceId }),
        Effect.ensuring(
          Effect.sync(() => {
            held.delete(claimed.claimToken)
            Queue.offerUnsafe(freed, undefined)
          })
        )
      )
  )

  const handBack = Effect.fnUntraced(function* (claimed: ClaimedRun) {
    const createdAt = yield* DateTime.now
    const { run } = claimed
    yield* writer.settle(claimed, handedBack(run), [
      { type: "run.retrying", createdAt, attempt: run.attempt, data: { reason: "worker_stopping" } }
    ])
  })

  const drain = Effect.gen(function* () {
    yield* Effect.timeoutOption(FiberMap.awaitEmpty(executing), `${options.drainSeconds} seconds`)
    const left = [...held.values()]
    if (left.length === 0) return
    yield* Effect.logInfo(`Handing back ${left.length} runs that have not ended`)
    yield* FiberMap.clear(executing)
    yield* Effect.forEach(left, handBack, { concurrency: "unbounded", discard: true })
  })

  const renew = Effect.gen(function* () {
    yield* Effect.sleep(`${options.renewSeconds} seconds`)
    const tokens = [...held.keys()]
    if (tokens.length === 0) return
    const still = yield* runs.renew(tokens, { leaseSeconds: options.leaseSeconds, now: yield* DateTime.now })
    for (const token of tokens) {
      if (still.has(token) || !held.has(token)) continue
      yield* Effect.logWarning(`The claim on run ${held.get(token)?.run.id} was lost, its execution is stopped`)
      yield* FiberMap.remove(executing, token)
    }
  })

  // While the store is away nobody can renew, and every lease ends. Once it is back the living renew first.
  let away = false
  const recover = Effect.gen(function* () {
    yield* Effect.sleep(`${options.recoverSeconds} seconds`)
    if (away) {
      yield* runs.renew([], { leaseSeconds: options.leaseSeconds, now: yield* DateTime.now })
      away = false
      yield* Effect.sleep(`${2 * options.renewSeconds} seconds`)
    }
    yield* recoverRuns()
  }).pipe(
    Effect.onError(() =>
      Effect.sync(() => {
        away = true
      })
    )
  )

  const next = yield* signals.listen(executeRun.name)
  // Not interruptible: what was claimed must be held here, or the stopping worker would forget to hand it back.
  const claim = Effect.uninterruptible(
    Effect.gen(function* () {
      const room = Math.min(options.batchMax, options.concurrencyMax - held.size)
      if (room <= 0) return 0
      const jobs = yield* source.take(executeRun, room)
      if (jobs.length === 0) return 0
      // Tried until it is done, for this worker keeps the jobs from everybody else for as long as it lives.
      const claimed = yield* Effect.onError(untilDone("Beginning runs", beginRuns(jobs, options)), () =>
        source.release(jobs)
      )
      for (const one of claimed) {
        held.set(one.claimToken, one)
        yield* FiberMap.run(executing, one.claimToken, Effect.interruptible(execute(one)))
      }
      return jobs.length
    })
  )
  const claimOrWait = Effect.flatMap(claim, (taken) =>
    taken > 0 ? Effect.void : Effect.raceFirst(next(options.pollSeconds), Queue.take(freed))
  )

  // Finalizers run in the reverse order: claiming stops first, then the drain, while renewing and writing go on.
  yield* Effect.forkScoped(persistently("Renewing claims", renew))
  yield* Effect.addFinalizer(() => drain)
  yield* Effect.forkScoped(persistently("Claiming runs", claimOrWait))
  yield* Effect.forkScoped(persistently("Recovering runs", recover))
})
