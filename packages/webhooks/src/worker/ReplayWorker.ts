/** The worker that sends ranges of deliveries again. Start as many as you like. */

import { JobSource, Signals, type UnitOfWork } from "@agent-platform/kernel"
import { persistently, untilDone } from "@agent-platform/toolkit"
import { Effect, type Scope } from "effect"
import { replayRange } from "../jobs.ts"
import type { DeliveryReplays } from "../ports/DeliveryReplays.ts"
import type { EndpointStore } from "../ports/EndpointStore.ts"
import { ReplayStore } from "../ports/ReplayStore.ts"
import type { ReplayId } from "../Replay.ts"
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

/** The ports of a worker that finds replays by their rows. */
export type ReplayPollPorts = DeliveryReplays | EndpointStore | ReplayStore | Signals | UnitOfWork

export type ReplayWorkerPorts = ReplayPollPorts | JobSource

/**
 * Continues a replay until it is over (`done`), or until its endpoint kept it waiting for `looksMax` looks. The job is handed back then
 * (`again`), so that others get a turn.
 */
const replayTurn = ({ lookSeconds, looksMax }: ReplayWorkerOptions) =>
  Effect.fnUntraced(function* (payload: ReplayJob["payload"]) {
    let looks = 0
    while (looks < looksMax) {
      // A step that fails is repeated, instead of the job from its start.
      const step = yield* untilDone("Replaying deliveries", continueReplay(payload))
      if (step === "over") return "done"
      looks = step === "wait" ? looks + 1 : 0
      if (step === "wait") yield* Effect.sleep(`${lookSeconds} seconds`)
    }
    return "again"
  })

/**
 * Starts a worker that runs until the scope closes, which interrupts its replays. Each goes on where it was, wherever there
 * is a worker.
 */
export const startReplayWorker = Effect.fnUntraced(function* (
  overrides: Partial<ReplayWorkerOptions> = {}
): Effect.fn.Return<void, never, ReplayWorkerPorts | Scope.Scope> {
  const options = { ...REPLAY_WORKER_DEFAULTS, ...overrides }
  const { pollSeconds, replaysMax: concurrencyMax } = options
  const source = yield* JobSource
  const turn = replayTurn(options)
  yield* Effect.forkScoped(source.work(replayRange, ({ payload }) => turn(payload), { concurrencyMax, pollSeconds }))
})

/**
 * The same without a queue of jobs, for hosts that embed the domain: replays are found by their rows, which are gone through
 * in turn. Several processes may do so at once, as each step is one transaction on its replay.
 */
export const startReplayPoll = Effect.fnUntraced(function* (
  overrides: Partial<ReplayWorkerOptions> = {}
): Effect.fn.Return<void, never, ReplayPollPorts | Scope.Scope> {
  const options = { ...REPLAY_WORKER_DEFAULTS, ...overrides }
  const replays = yield* ReplayStore
  const signals = yield* Signals
  const nextSignal = yield* signals.listen(replayRange.name)
  const turn = replayTurn(options)
  let after: ReplayId | undefined
  yield* Effect.forkScoped(
    persistently(
      "Replaying deliveries",
      Effect.gen(function* () {
        const found = yield* replays.unfinished(after, options.replaysMax)
        yield* Effect.forEach(
          found,
          ({ id, organizationId }) => turn({ organization_id: organizationId, replay_id: id }),
          { concurrency: "unbounded", discard: true }
        )
        const isFirstPage = after === undefined
        after = found.length < options.replaysMax ? undefined : found.at(-1)?.id
        // While there are replays, their turns do the waiting.
        if (isFirstPage && found.length === 0) yield* nextSignal(options.pollSeconds)
      })
    )
  )
})
