/** The worker that erases. Start as many as you like. */
import { type JobQueue, JobSource } from "@agent-platform/kernel"
import { Cause, Clock, Effect, type Scope } from "effect"
import { continueErasure, giveUpErasure } from "./continueErasure.ts"
import { endTurn, isNextTurn } from "./endTurn.ts"
import { eraseSubject } from "./jobs.ts"

/** How the worker works. */
export interface ErasureWorkerOptions {
  /** Erasures under way at once; those beyond wait for their turn. */
  readonly erasuresMax: number
  /** How long an erasure goes on before another has its turn. */
  readonly turnSeconds: number
  /** How soon an erasure that waits for rows held by others has its next turn. Meanwhile other erasures have theirs. */
  readonly pauseSeconds: number
  /** How often in a row a turn may fail before the erasure is given up: 300 times take more than a day, with pauses of up to 5 minutes. */
  readonly failuresMax: number
  /** How often work is looked for when no signal comes. */
  readonly pollSeconds: number
}

export const ERASURE_WORKER_DEFAULTS: ErasureWorkerOptions = {
  erasuresMax: 2,
  turnSeconds: 10,
  pauseSeconds: 2,
  failuresMax: 300,
  pollSeconds: 2
}

export type ErasureWorkerPorts = JobSource | JobQueue | Effect.Services<ReturnType<typeof continueErasure>>

/** Starts a worker that runs until the scope closes, which interrupts its erasures. Each goes on where it was. */
export const startErasureWorker = Effect.fnUntraced(function* (
  overrides: Partial<ErasureWorkerOptions> = {}
): Effect.fn.Return<void, never, ErasureWorkerPorts | Scope.Scope> {
  const { erasuresMax, failuresMax, pauseSeconds, pollSeconds, turnSeconds } = {
    ...ERASURE_WORKER_DEFAULTS,
    ...overrides
  }
  const source = yield* JobSource
  const turn = Effect.fnUntraced(function* (payload: (typeof eraseSubject)["payload"]["Type"]) {
    if (!(yield* isNextTurn(payload))) return "done" as const
    const until = (yield* Clock.currentTimeMillis) + turnSeconds * 1_000
    let step = yield* continueErasure(payload)
    while (step === "more" && (yield* Clock.currentTimeMillis) < until) step = yield* continueErasure(payload)
    if (step !== "over") yield* endTurn(payload, { isWaiting: step === "wait", pauseSeconds })
    return "done" as const
  })
  yield* Effect.forkScoped(
    source.work(
      eraseSubject,
      ({ attempt, payload }) =>
        Effect.catchCause(turn(payload), (cause) => {
          if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
          if (attempt < failuresMax) {
            return Effect.andThen(
              Effect.logWarning("An erasure failed, and is tried again", cause),
              Effect.failCause(cause)
            )
          }
          return Effect.logError("An erasure failed too often, and is given up", cause).pipe(
            Effect.andThen(giveUpErasure(payload)),
            Effect.as("done" as const)
          )
        }),
      { concurrencyMax: erasuresMax, pollSeconds }
    )
  )
})
