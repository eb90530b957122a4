import { Clock, Context, Effect, Fiber } from "effect"

/** How often it is looked for what has taken too long, in milliseconds: bounds are kept to this. */
const LOOK_MILLIS = 500

interface Bounded {
  readonly until: number
  readonly giveUp: () => void
}

/** What is bounded by one clock. Somebody looks after it for as long as there is anything. */
interface Watch {
  readonly bounded: Set<Bounded>
  isLooking: boolean
}

/** The time that goes by, in milliseconds, whatever the clock of the machine is set to meanwhile. */
const millisOf = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000

const watches = new WeakMap<Clock.Clock, Watch>()

const watchOf = (clock: Clock.Clock): Watch => {
  const known = watches.get(clock)
  if (known !== undefined) return known
  const made = { bounded: new Set<Bounded>(), isLooking: false }
  watches.set(clock, made)
  return made
}

const look = (clock: Clock.Clock, watch: Watch) =>
  Effect.gen(function* () {
    while (watch.bounded.size > 0) {
      yield* Effect.sleep(LOOK_MILLIS)
      const now = millisOf(clock)
      for (const one of watch.bounded) if (one.until <= now) one.giveUp()
    }
    watch.isLooking = false
  }).pipe(Effect.provideService(Clock.Clock, clock))

/**
 * Bounds an effect: what has not ended after `seconds`, or up to half a second later, is interrupted and not waited for,
 * and `orElse` comes in its place. One timer serves everything that is bounded at a time: a race with a timer of its own
 * took four times as long.
 */
export const within = <A, E, R, A2, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  seconds: number,
  orElse: () => Effect.Effect<A2, E2, R2>
): Effect.Effect<A | A2, E | E2, R | R2> =>
  Effect.withFiber((fiber: Fiber.Fiber<unknown, unknown>) => {
    const context = fiber.context as Context.Context<R>
    const clock = Context.get(fiber.context, Clock.Clock)
    const watch = watchOf(clock)
    return Effect.callback<A | A2, E | E2, R2>((resume) => {
      const running = Effect.runForkWith(context)(effect)
      const one: Bounded = {
        until: millisOf(clock) + seconds * 1_000,
        giveUp: () => {
          watch.bounded.delete(one)
          resume(orElse())
          running.interruptUnsafe()
        }
      }
      watch.bounded.add(one)
      running.addObserver((exit) => {
        watch.bounded.delete(one)
        resume(exit)
      })
      if (!watch.isLooking && watch.bounded.size > 0) {
        watch.isLooking = true
        Effect.runFork(look(clock, watch))
      }
      return Effect.suspend(() => {
        watch.bounded.delete(one)
        return Fiber.interrupt(running)
      })
    })
  })
