/** The work of an entry point by the clock. Any number of processes may do it. */
import { persistently } from "@agent-platform/toolkit"
import { Effect, Random } from "effect"

/** Does a chore now and about every so many seconds, until the scope closes. One that fails is logged, and waits for the next time. */
export const everySeconds = <R>(seconds: number, name: string, chore: Effect.Effect<unknown, unknown, R>) =>
  Effect.forkScoped(
    persistently(
      name,
      Effect.gen(function* () {
        yield* Effect.catchCause(chore, (cause) =>
          Effect.logError(`${name} failed, and waits for the next time`, cause)
        )
        // At random, so that not all processes of a host do it at the same moment.
        yield* Effect.sleep(`${seconds * (0.8 + 0.4 * (yield* Random.next))} seconds`)
      })
    )
  )
