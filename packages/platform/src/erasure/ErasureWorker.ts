/** The worker that erases. Start as many as you like. */
import { JobSource } from "@agent-platform/kernel"
import { Cause, Clock, Effect, type Scope } from "effect"
import { continueErasure, giveUpErasure } from "./continueErasure.ts"
import { eraseSubject } from "./jobs.ts"

/** How the worker works. */
export interface ErasureWorkerOptions {
  /** Erasures under way at once; those beyond wait for their turn. */
  readonly erasuresMax: number
  /** How long an erasure goes on before another has its turn. */
  readonly turnSeconds: number
  /** How often one that waits for others to let go looks again. */
  readonly lookSeconds: number
  /** How often in a row it may fail before it is given up: with pauses of up to some minutes more than a day. */
  readonly failuresMax: number
  /** How often work is looked for when no signal comes. */
  readonly pollSeconds: number
}

export const ERASURE_WORKER_DEFAULTS: ErasureWorkerOptions = {
  erasuresMax: 2,
  turnSeconds: 10,
  lookSeconds: 0.5,
  failuresMax: 300,
  pollSeconds: 2
}

export type ErasureWorkerPorts = JobSource | Effect.Services<ReturnType<typeof continueErasure>>

/** Starts a worker that runs until the scope closes, which interrupts its erasures. Each goes on where it was. */
export const startErasureWorker = Effect.fnUntraced(function* (
  overrides: Partial<ErasureWorkerOptions> = {}
): Effect.fn.Return<void, never, ErasureWorkerPorts | Scope.Scope> {
  const { erasuresMax, failuresMax, lookSeconds, pollSeconds, turnSeconds } = {
    ...ERASURE_WORKER_DEFAULTS,
    ...overrides
  }
  const source = yield* JobSource
  const failures = new Map<string, number>()
  const turn = Effect.fnUntraced(function* (payload: Parameters<typeof continueErasure>[0]) {
    const until = (yield* Clock.currentTimeMillis) + turnSeconds * 1_000
    while ((yield* Clock.currentTimeMillis) < until) {
      const step = yield* continueErasure(payload)
      failures.delete(payload.erasure_id)
      if (step === "over") return "done" as const
      if (step === "wait") yield* Effect.sleep(`${lookSeconds} seconds`)
    }
    return "again" as const
  })
  yield* Effect.forkScoped(
    source.work(
      eraseSubject,
      ({ payload }) =>
        Effect.catchCause(turn(payload), (cause) => {
          if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
          const count = (failures.get(payload.erasure_id) ?? 0) + 1
          failures.set(payload.erasure_id, count)
          if (count < failuresMax) {
            return Effect.andThen(
              Effect.logWarning("An erasure failed, and is tried again", cause),
              Effect.failCause(cause)
            )
          }
          failures.delete(payload.erasure_id)
          return Effect.logError("An erasure failed too often, and is given up", cause).pipe(
            Effect.andThen(giveUpErasure(payload)),
            Effect.as("done" as const)
          )
        }),
      { concurrencyMax: erasuresMax, pollSeconds }
    )
  )
})
