import type { BadRequest, Forbidden, NotFound, Unauthorized } from "@agent-platform/contract"
import { Cause, Context, Effect } from "effect"

/** Why a key that was accepted is not accepted any more. */
export type Refusal = BadRequest | Unauthorized | Forbidden | NotFound

/** How often the key of a stream, or of an answer that waits, is looked at again. */
export const WATCH_SECONDS = 2

/**
 * Fails once the current request's key is not accepted any more; runs for ever otherwise. What goes on for longer is
 * raced with it, so that a revocation ends streams and long polls, too.
 */
export const KeyWatch = Context.Reference<Effect.Effect<never, Refusal>>("@agent-platform/api/KeyWatch", {
  defaultValue: () => Effect.never
})

/** Watches a key by asking again and again. A store that cannot be asked now does not end anything. */
export const watchKey = <A>(recognise: Effect.Effect<A, Refusal>): Effect.Effect<never, Refusal> =>
  Effect.sleep(`${WATCH_SECONDS} seconds`).pipe(
    Effect.andThen(
      Effect.catchCause(recognise, (cause) => (Cause.hasDies(cause) ? Effect.void : Effect.failCause(cause)))
    ),
    Effect.forever
  )
