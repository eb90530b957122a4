import { Effect, type Exit, Fiber, Option } from "effect"

/**
 * The exit of an effect, or none where it takes longer. Then, and where the caller is interrupted, the effect is interrupted but not
 * waited for: a statement to a server that fell silent may not end for a long time.
 */
export const answeredWithin = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  seconds: number
): Effect.Effect<Option.Option<Exit.Exit<A, E>>, never, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(restore(effect)), (fiber) =>
      restore(Effect.timeoutOption(Fiber.await(fiber), `${seconds} seconds`)).pipe(
        Effect.tap((ended) => (Option.isNone(ended) ? Effect.sync(() => fiber.interruptUnsafe()) : Effect.void)),
        Effect.onInterrupt(() => Effect.sync(() => fiber.interruptUnsafe()))
      )
    )
  )
