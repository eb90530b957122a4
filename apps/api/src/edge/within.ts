import { Effect, Fiber } from "effect"
import { unanswered } from "./problems.ts"

/** The longest that anything may take but a wait that the caller asked for, in seconds. */
export const ANSWER_SECONDS_MAX = 30

/**
 * Bounds an effect: after `seconds` it is interrupted, and `orElse` takes its place at once. It runs in a fiber of its own,
 * since a time-out by itself waits until what it interrupts has stopped.
 */
export const within = <A, E, R, A2, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  seconds: number,
  orElse: () => Effect.Effect<A2, E2, R2>
): Effect.Effect<A | A2, E | E2, R | R2> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(restore(effect), { startImmediately: true }), (running) =>
      Fiber.join(running).pipe(
        Effect.timeoutOrElse({
          duration: `${seconds} seconds`,
          orElse: () => Effect.andThen(Effect.forkDetach(Fiber.interrupt(running)), orElse())
        }),
        restore,
        Effect.onInterrupt(() => Fiber.interrupt(running))
      )
    )
  )

/** Bounds a part of a request that may wait for longer as a whole. A store that does not answer is unavailable. */
export const withinAnswerTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  within(effect, ANSWER_SECONDS_MAX, () => Effect.die(unanswered(ANSWER_SECONDS_MAX)))
