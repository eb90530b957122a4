import { type Line, makeLine, type PlaceInLine } from "@agent-platform/kernel"
import { Clock, Context, Effect, Fiber } from "effect"

/** How often it is looked for what has taken too long, in milliseconds: bounds are kept to this. */
const LOOK_MILLIS = 500

interface Bounded {
  /** By which time it has to have ended, and how many seconds it was given. */
  until: number
  seconds: number
  readonly giveUp: () => void
  /** What is bounded, once it has begun. */
  running: Fiber.Fiber<unknown, unknown> | undefined
}

/** What is bounded by one clock. Somebody looks after it for as long as there is anything. */
interface Watch {
  readonly bounded: Line<Bounded>
  isLooking: boolean
}

/** The place of what the current fiber belongs to. */
const CurrentPlace = Context.Reference<PlaceInLine<Bounded> | undefined>("@agent-platform/api/CurrentPlace", {
  defaultValue: () => undefined
})

/** The time that goes by, in milliseconds, whatever the clock of the machine is set to meanwhile. */
const millisOf = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000

const watches = new WeakMap<Clock.Clock, Watch>()

const watchOf = (clock: Clock.Clock): Watch => {
  const known = watches.get(clock)
  if (known !== undefined) return known
  const made = { bounded: makeLine<Bounded>(), isLooking: false }
  watches.set(clock, made)
  return made
}

const look = (clock: Clock.Clock, watch: Watch) =>
  Effect.gen(function* () {
    while (watch.bounded.size() > 0) {
      yield* Effect.sleep(LOOK_MILLIS)
      const now = millisOf(clock)
      // Found before any is given up: that ends others.
      for (const late of Array.from(watch.bounded.items()).filter(({ until }) => until <= now)) late.giveUp()
    }
    watch.isLooking = false
  }).pipe(Effect.provideService(Clock.Clock, clock))

/**
 * Bounds an effect: what has not ended after `seconds`, or up to half a second later, is interrupted and not waited for,
 * and `orElse` comes in its place, given the seconds that were too few. One timer serves everything that is bounded at a
 * time: a race with a timer of its own took four times as long.
 */
export const within = <A, E, R, A2, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  seconds: number,
  orElse: (seconds: number) => Effect.Effect<A2, E2, R2>
): Effect.Effect<A | A2, E | E2, R | R2> =>
  Effect.withFiber((fiber: Fiber.Fiber<unknown, unknown>) => {
    const clock = Context.get(fiber.context, Clock.Clock)
    const watch = watchOf(clock)
    return Effect.callback<A | A2, E | E2, R2>((resume) => {
      const one: Bounded = {
        until: millisOf(clock) + seconds * 1_000,
        seconds,
        giveUp: () => {
          watch.bounded.leave(place)
          resume(orElse(one.seconds))
          one.running?.interruptUnsafe()
        },
        running: undefined
      }
      const place = watch.bounded.join(one)
      const context = Context.add(fiber.context as Context.Context<R>, CurrentPlace, place)
      const begun = Effect.withFiber((running: Fiber.Fiber<unknown, unknown>) => {
        one.running = running
        return effect
      })
      const running = Effect.runForkWith(context)(begun)
      running.addObserver((exit) => {
        watch.bounded.leave(place)
        resume(exit)
      })
      if (!watch.isLooking && watch.bounded.size() > 0) {
        watch.isLooking = true
        Effect.runFork(look(clock, watch))
      }
      return Effect.suspend(() => {
        watch.bounded.leave(place)
        return Fiber.interrupt(running)
      })
    })
  })

/**
 * As `within`, for a part of what is bounded already: while it lasts the whole has at most `seconds` more, and is given up if
 * they are too few. That takes no fiber of its own. Where nothing is bounded, or something that another fiber does, it is
 * `within`.
 */
export const withinPart = <A, E, R, A2, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  seconds: number,
  orElse: (seconds: number) => Effect.Effect<A2, E2, R2>
): Effect.Effect<A | A2, E | E2, R | R2> =>
  Effect.withFiber((fiber: Fiber.Fiber<unknown, unknown>): Effect.Effect<A | A2, E | E2, R | R2> => {
    const place = Context.get(fiber.context, CurrentPlace)
    if (place?.item.running !== fiber || !place.isTaken) return within(effect, seconds, orElse)
    const whole = place.item
    const { seconds: secondsBefore, until: untilBefore } = whole
    const until = millisOf(Context.get(fiber.context, Clock.Clock)) + seconds * 1_000
    if (untilBefore <= until) return effect
    whole.until = until
    whole.seconds = seconds
    return Effect.onExit(effect, () => {
      whole.until = untilBefore
      whole.seconds = secondsBefore
      return Effect.void
    })
  })
