/** The worker that sends ranges of deliveries again. Start as many as you like. */

import type { UnitOfWork } from "@agent-platform/kernel"
import { JobSource, persistently, Signals, untilDone } from "@agent-platform/kernel"
import { Effect, Exit, FiberSet, type Scope } from "effect"
import { replayRange } from "./jobs.ts"
import type { DeliveryStore } from "./ports/DeliveryStore.ts"
import type { EndpointStore } from "./ports/EndpointStore.ts"
import type { ReplayStore } from "./ports/ReplayStore.ts"
import { continueReplay, type ReplayJob } from "./use-cases/continueReplay.ts"

/** How the worker works; the defaults give way to live traffic. */
export interface ReplayWorkerOptions {
  /** Replays under way at once; those beyond wait for a worker. */
  readonly replaysMax: number
  /** How often a replay looks whether what it made due is sent. */
  readonly waitSeconds: number
  /** How often work is looked for when no signal comes. */
  readonly pollSeconds: number
}

export const REPLAY_WORKER_DEFAULTS: ReplayWorkerOptions = { replaysMax: 16, waitSeconds: 1, pollSeconds: 5 }

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

  const replay = (job: ReplayJob): Effect.Effect<void, never, ReplayWorkerPorts> =>
    Effect.flatMap(untilDone("Replaying deliveries", continueReplay(job)), (step) =>
      step === "over"
        ? Effect.void
        : Effect.andThen(
            step === "wait" ? Effect.sleep(`${options.waitSeconds} seconds`) : Effect.void,
            Effect.suspend(() => replay(job))
          )
    )

  const next = yield* signals.listen(replayRange.name)
  // Not interruptible: a job that was taken must be under way here, or the stopping worker would not hand it back.
  const take = Effect.uninterruptible(
    Effect.gen(function* () {
      const room = options.replaysMax - (yield* FiberSet.size(underWay))
      const jobs = room > 0 ? yield* source.take(replayRange, room) : []
      for (const job of jobs) {
        const handedBack = Effect.onExit(Effect.interruptible(replay(job)), (exit) =>
          Exit.isSuccess(exit) ? Effect.void : source.release([job])
        )
        yield* FiberSet.run(underWay, handedBack)
      }
      return jobs.length
    })
  )
  yield* Effect.forkScoped(
    persistently(
      "Taking up replays",
      Effect.flatMap(take, (taken) => (taken > 0 ? Effect.void : next(options.pollSeconds)))
    )
  )
})
