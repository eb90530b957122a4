/** The worker that sends ranges of deliveries again. Start as many as you like. */

import { JobSource, type Signals, type UnitOfWork } from "@agent-platform/kernel"
import { untilDone } from "@agent-platform/toolkit"
import { Effect, type Scope } from "effect"
import { replayRange } from "../jobs.ts"
import type { DeliveryReplays } from "../ports/DeliveryReplays.ts"
import type { EndpointStore } from "../ports/EndpointStore.ts"
import type { ReplayStore } from "../ports/ReplayStore.ts"
import { continueReplay, type ReplayJob } from "../use-cases/continueReplay.ts"

/** How the worker works; the defaults give way to live traffic. */
export interface ReplayWorkerOptions {
  /** Replays under way at once; those beyond wait for their turn. */
  readonly replaysMax: number
  /** How often a replay looks whether what it made due is sent, and how often in a row before another has its turn. */
  readonly lookSeconds: number
  readonly looksMax: number
  /** How often work is looked for when no signal comes. */
  readonly pollSeconds: number
}

export const REPLAY_WORKER_DEFAULTS: ReplayWorkerOptions = {
  replaysMax: 8,
  lookSeconds: 0.25,
  looksMax: 8,
  pollSeconds: 2
}

export type ReplayWorkerPorts = DeliveryReplays | EndpointStore | ReplayStore | JobSource | Signals | UnitOfWork

/**
 * Starts a worker that runs until the scope closes, which interrupts its replays. Each goes on where it was, wherever there
 * is a worker.
 */
export const startReplayWorker = Effect.fnUntraced(function* (
  overrides: Partial<ReplayWorkerOptions> = {}
): Effect.fn.Return<void, never, ReplayWorkerPorts | Scope.Scope> {
  const { lookSeconds, looksMax, pollSeconds, replaysMax } = { ...REPLAY_WORKER_DEFAULTS, ...overrides }
  const source = yield* JobSource

  // One whose endpoint takes its time does not keep the turn from the others.
  const replay = Effect.fnUntraced(function* (job: ReplayJob) {
    let looks = 0
    while (looks < looksMax) {
      const step = yield* untilDone("Replaying deliveries", continueReplay(job.payload))
      if (step === "over") return "done"
      looks = step === "wait" ? looks + 1 : 0
      if (step === "wait") yield* Effect.sleep(`${lookSeconds} seconds`)
    }
    return "again"
  })
  yield* Effect.forkScoped(source.work(replayRange, replay, { concurrencyMax: replaysMax, pollSeconds }))
})
