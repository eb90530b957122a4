import { Effect } from "effect"

/**
 * Repeats an attempt for as long as it answers undefined, which says that somebody else wrote first: each time on what is
 * there then.
 */
export const untilWritten = <A, E, R>(attempt: Effect.Effect<A | undefined, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(attempt, (written) => (written === undefined ? untilWritten(attempt) : Effect.succeed(written)))
