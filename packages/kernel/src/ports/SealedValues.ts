import type { Effect } from "effect"
import type { Transaction } from "./UnitOfWork.ts"

/** One sealed value of a store. */
export interface SealedValue {
  /** Its place in the order in which the store is walked; unique. A value that stays never moves before it. */
  readonly position: string
  /** The place that it was sealed for. */
  readonly place: string
  readonly sealed: string
}

/** A store of sealed values, as far as it takes part in a change of the key that seals. */
export interface SealedValues {
  /** The name of such values, in the plural and for people. */
  readonly name: string
  /** Up to `limit` values behind the position `after`, of every tenant, ordered by their position. */
  readonly page: (after: string | undefined, limit: number) => Effect.Effect<ReadonlyArray<SealedValue>>
  /** Replaces `value` if it is still there: a value that was changed or erased meanwhile stays so. */
  readonly replace: (value: SealedValue, resealed: string) => Effect.Effect<boolean, never, Transaction>
}
