import { Effect } from "effect"
import { unanswered } from "./problems.ts"
import { withinPart } from "./within.ts"

/** What anything but waiting may take, in seconds. */
export const ANSWER_SECONDS_MAX = 30

/**
 * Bounds what the stores may take, where the request as a whole may wait for longer: a connection that never comes is
 * answered as unavailable, not waited for.
 */
export const promptly = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  withinPart(effect, ANSWER_SECONDS_MAX, (seconds) => Effect.die(unanswered(seconds)))
