/** The worker that brings templates to workspaces. Start as many as you like. */
import { JobSource } from "@agent-platform/kernel"
import { Cause, Effect, type Scope } from "effect"
import { continueSpread } from "./continueSpread.ts"
import { spreadTemplate } from "./jobs.ts"

/** How the worker works. */
export interface SpreadWorkerOptions {
  /** Templates under way at once; those beyond wait for their turn. */
  readonly templatesMax: number
  /** How often work is looked for when no signal comes. */
  readonly pollSeconds: number
}

export const SPREAD_WORKER_DEFAULTS: SpreadWorkerOptions = { templatesMax: 2, pollSeconds: 2 }

export type SpreadWorkerPorts = JobSource | Effect.Services<ReturnType<typeof continueSpread>>

/** Starts a worker that runs until the scope closes, which interrupts its turns. Each begins again where it was. */
export const startSpreadWorker = Effect.fnUntraced(function* (
  overrides: Partial<SpreadWorkerOptions> = {}
): Effect.fn.Return<void, never, SpreadWorkerPorts | Scope.Scope> {
  const { pollSeconds, templatesMax } = { ...SPREAD_WORKER_DEFAULTS, ...overrides }
  const source = yield* JobSource
  yield* Effect.forkScoped(
    source.work(
      spreadTemplate,
      ({ payload }) =>
        continueSpread(payload).pipe(
          Effect.as("done" as const),
          Effect.tapCause((cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.void
              : Effect.logWarning("Bringing a template to workspaces failed, and is tried again", cause)
          )
        ),
      { concurrencyMax: templatesMax, pollSeconds }
    )
  )
})
