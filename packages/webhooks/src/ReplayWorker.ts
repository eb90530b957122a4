/** The worker that sends ranges of deliveries again. Start as many as you like. */

import { JobSource, persistently, Signals, type UnitOfWork, untilDone } from "@agent-platform/kernel"
import { Effect, Exit, FiberSet, Queue, type Scope } from "effect"
import { replayRange } from "./jobs.ts"
import type { DeliveryStore } from "./ports/DeliveryStore.ts"
import type { EndpointStore } from "./ports/EndpointStore.ts"
import type { ReplayStore } from "./ports/ReplayStore.ts"
import { continueReplay, type ReplayJob } from "./use-cases/continueReplay.ts"

/** How the worker works; the defaults give way to live traffic. */
export interface ReplayWorkerOptions {
  /** Replays under way at once; those beyond wait for their turn. */
  readonly replaysMax: number
  /** How often a replay looks whether what it made due is sent, and how often in a row before another has its turn. */
  readonly lookSeconds: number
  readonly looksMax: number
  /** How long a replay that has given up its turn waits for the next. */
  readonly pauseSeconds: number
  /** How often work is looked for when no signal comes. */
  readonly pollSeconds: number
}

export const REPLAY_WORKER_DEFAULTS: ReplayWorkerOptions = {
  replaysMax: 16,
  lookSeconds: 0.25,
  looksMax: 8,
  pauseSeconds: 2,
  pollSeconds: 2
}

/** Handing a replay back takes no longer. One that is not handed back is taken up when this process is gone. */
const HAND_BACK_SECONDS_MAX = 5

export type ReplayWorkerPorts = DeliveryStore | EndpointStore | ReplayStore | JobSource | Signals | UnitOfWork

/**
 * Starts a worker that runs until the scope closes. Closing hands its replays back at once: each goes on where it was,
 * wherever there is a worker.
 */
export const startReplayWorker = Effect.fnUntraced(function* (
  overrides: Partial<ReplayWorkerOptions> = {}
): Effect.fn.Return<void, never, ReplayWorkerPorts | Scope.Scope> {
  const options = { ...REPLAY_WORKER_DEFAULTS, ...overrides }
  const source = yield* JobSource
  const signals = yield* Signals
  const underWay = yield* FiberSet.make()
  const freed = yield* Queue.sliding<void>(1)

  const handBack = (job: ReplayJob) =>
    source.release([job]).pipe(
      Effect.timeoutOption(`${HAND_BACK_SECONDS_MAX} seconds`),
      Effect.catchCause((cause) => Effect.logWarning("A replay could not be handed back", cause))
    )

  // One whose endpoint takes its time does not keep the turn from the others.
  const replay = Effect.fnUntraced(function* (job: ReplayJob) {
    let looks = 0
    while (looks < options.looksMax) {
      const step = yield* untilDone("Replaying deliveries", continueReplay(job))
      if (step === "over") return
      looks = step === "wait" ? looks + 1 : 0
      if (step === "wait") yield* Effect.sleep(`${options.lookSeconds} seconds`)
    }
    yield* source.release([job], { delaySeconds: options.pauseSeconds })
  })

  const next = yield* signals.listen(replayRange.name)
  // Not interruptible: a job that was taken must be under way here, or the stopping worker would not hand it back.
  const take = Effect.uninterruptible(
    Effect.gen(function* () {
      const room = options.replaysMax - (yield* FiberSet.size(underWay))
      const jobs = room > 0 ? yield* source.take(replayRange, room) : []
      for (const job of jobs) {
        const underHold = Effect.onExit(Effect.interruptible(replay(job)), (exit) =>
          Exit.isSuccess(exit) ? Effect.void : handBack(job)
        ).pipe(Effect.ensuring(Effect.sync(() => Queue.offerUnsafe(freed, undefined))))
        yield* FiberSet.run(underWay, underHold)
      }
      return jobs.length
    })
  )
  yield* Effect.forkScoped(
    persistently(
      "Taking up replays",
      Effect.flatMap(take, (taken) =>
        taken > 0 ? Effect.void : Effect.raceFirst(next(options.pollSeconds), Queue.take(freed))
      )
    )
  )
})
