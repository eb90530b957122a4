/** Limits how long a request may take, apart from the time that its caller causes or asks for. */
import { Clock, Context, Duration, Effect, Fiber } from "effect"
import { CurrentRequest } from "./CurrentRequest.ts"

/** The longest time until a response, in seconds, without the time that the caller causes or asks for. */
export const ANSWER_SECONDS_MAX = 30

/** The time that a bounded effect may take, in seconds. Waits extend it while the effect runs. */
interface Bound {
  seconds: number
}

const CurrentBound = Context.Reference<Bound | undefined>("@agent-platform/api/CurrentBound", {
  defaultValue: () => undefined
})

/** Completes once the bound has passed, also when the bound is changed meanwhile. */
const passed = (bound: Bound, waited = 0): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { seconds } = bound
    return seconds <= waited
      ? Effect.void
      : Effect.andThen(Effect.sleep(Duration.seconds(seconds - waited)), passed(bound, seconds))
  })

/**
 * Bounds an effect: after `seconds` it is interrupted, and `orElse`, given the seconds, takes its place at once. Effect's own
 * timeout waits until the interrupted work has stopped, and a store that does not respond may never stop.
 */
export const within = <A, E, R, A2, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  seconds: number,
  orElse: (seconds: number) => Effect.Effect<A2, E2, R2>
): Effect.Effect<A | A2, E | E2, R | R2> =>
  Effect.contextWith((context: Context.Context<R>) =>
    Effect.callback<A | A2, E | E2, R2>((resume) => {
      const bound: Bound = { seconds }
      const giveUp = Effect.sync(() => {
        resume(Effect.suspend(() => orElse(Math.round(bound.seconds))))
        running.interruptUnsafe()
      })
      const timer = Effect.runForkWith(context)(Effect.andThen(passed(bound), giveUp))
      const running = Effect.runForkWith(Context.add(context, CurrentBound, bound))(effect)
      running.addObserver((exit) => {
        timer.interruptUnsafe()
        resume(exit)
      })
      return Effect.andThen(Fiber.interrupt(timer), Fiber.interrupt(running))
    })
  )

/**
 * Extends the enclosing timeout by `seconds` for a wait that the caller causes or asks for. At the end of the wait the unused
 * part is taken back.
 */
export const extendTimeout = <A, E, R>(effect: Effect.Effect<A, E, R>, seconds: number): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber: Fiber.Fiber<unknown, unknown>) => {
    const bound = Context.get(fiber.context, CurrentBound)
    if (bound === undefined) return effect
    const clock = Context.get(fiber.context, Clock.Clock)
    const startedAt = clock.monotonicTimeNanosUnsafe()
    bound.seconds += seconds
    return Effect.onExit(effect, () => {
      const taken = Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e9
      bound.seconds -= Math.max(0, seconds - taken)
      return Effect.void
    })
  })

/** A wait of at most `seconds` that the caller asks for. It extends the enclosing timeout and does not count as response time. */
export const waiting = <A, E, R>(effect: Effect.Effect<A, E, R>, seconds: number): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber: Fiber.Fiber<unknown, unknown>) => {
    const { noted } = Context.get(fiber.context, CurrentRequest)
    const clock = Context.get(fiber.context, Clock.Clock)
    const startedAt = clock.monotonicTimeNanosUnsafe()
    return Effect.onExit(extendTimeout(effect, seconds), () => {
      noted.waitedSeconds += Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e9
      return Effect.void
    })
  })
