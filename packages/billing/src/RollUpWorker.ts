/** The worker that makes the roll-ups. Any number of them may run. */
import { persistently } from "@agent-platform/toolkit"
import { Effect, type Scope } from "effect"
import { BATCH_ROWS, rollUpUsage } from "./use-cases/analytics/rollUpUsage.ts"

/** How the worker works. */
export interface RollUpWorkerOptions {
  /** How often there is a batch, by one of the workers: readings are behind by up to two of these intervals. */
  readonly intervalSeconds: number
  readonly batchRows: number
}

export const ROLL_UP_WORKER_DEFAULTS: RollUpWorkerOptions = { intervalSeconds: 1, batchRows: BATCH_ROWS }

/** Starts a worker that runs until the scope closes. An interrupted batch leaves nothing behind. */
export const startRollUpWorker = Effect.fnUntraced(function* (overrides: Partial<RollUpWorkerOptions> = {}) {
  const { batchRows, intervalSeconds } = { ...ROLL_UP_WORKER_DEFAULTS, ...overrides }
  const catchUp = Effect.gen(function* () {
    // Slightly less than the interval, so that a worker that looks a little early is not turned away by its own last batch.
    let quietSeconds = intervalSeconds * 0.9
    while (true) {
      const done = yield* rollUpUsage({ batchRows, quietSeconds })
      if (done._tag === "Busy" || !done.hasMore) return
      quietSeconds = 0
    }
  })
  yield* Effect.forkScoped(
    persistently("Rolling up what was used", Effect.andThen(catchUp, Effect.sleep(`${intervalSeconds} seconds`)))
  )
})

/** The ports that an embedder provides. */
export type RollUpWorkerPorts = Exclude<Effect.Services<ReturnType<typeof startRollUpWorker>>, Scope.Scope>
