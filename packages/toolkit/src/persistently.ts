import { Cause, Effect } from "effect"

/**
 * Repeats a worker's step for ever, through defects such as a database that is away: they are logged under `name` and
 * the step is tried again a second later. Ends only by interruption.
 */
export const persistently = <R>(name: string, step: Effect.Effect<void, never, R>): Effect.Effect<never, never, R> =>
  step.pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.andThen(Effect.logError(`${name} failed, trying again`, cause), Effect.sleep("1 second"))
    ),
    Effect.forever
  )

/**
 * Tries an effect until it succeeds, through defects such as a database that is away: they are logged under `name` and it
 * is tried again a second later. For a part of a step, which `persistently` would start over as a whole. Between two tries it can
 * be interrupted, wherever it is called.
 */
export const untilDone = <A, E, R>(name: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchCause(effect, (cause) =>
    Cause.hasFails(cause) || Cause.hasInterruptsOnly(cause)
      ? Effect.failCause(cause)
      : Effect.logError(`${name} failed, trying again`, cause).pipe(
          Effect.andThen(Effect.interruptible(Effect.sleep("1 second"))),
          Effect.andThen(Effect.suspend(() => untilDone(name, effect)))
        )
  )
