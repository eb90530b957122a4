import { Effect } from "effect"

/**
 * Repeats an attempt on the present state for as long as it returns undefined, the sign that somebody else wrote first.
 */
export const untilWritten = <A, E, R>(attempt: Effect.Effect<A | undefined, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(attempt, (written) => (written === undefined ? untilWritten(attempt) : Effect.succeed(written)))
