import { Effect } from "effect"
import { hasProperty } from "effect/Predicate"
import type { SqlError } from "effect/sql/SqlError"

/** The code that Postgres refuses a statement with; undefined where it does it. */
export const refusal = <A, R>(effect: Effect.Effect<A, SqlError, R>) =>
  Effect.match(effect, {
    onFailure: ({ reason }) => (hasProperty(reason.cause, "code") ? reason.cause.code : undefined),
    onSuccess: () => undefined
  })
