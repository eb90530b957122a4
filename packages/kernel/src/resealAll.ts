import { Effect } from "effect"
import { SecretBox } from "./ports/SecretBox.ts"
import { type Transaction, UnitOfWork } from "./ports/UnitOfWork.ts"

/** One sealed value of a store. */
export interface SealedValue {
  /** Where it stands in the order in which the store is walked; unique. A value that stays never moves before it. */
  readonly position: string
  /** The place that it was sealed for. */
  readonly place: string
  readonly sealed: string
}

/** A store of sealed values, as far as it takes part in a change of the key that seals. */
export interface SealedValues {
  /** What they are, in the plural and for people. */
  readonly name: string
  /** Up to `limit` values behind the position `after`, of every tenant, ordered by their position. */
  readonly page: (after: string | undefined, limit: number) => Effect.Effect<ReadonlyArray<SealedValue>>
  /** Puts `resealed` in the place of `value`, if that is still what is there: what was changed or erased meanwhile stays so. */
  readonly replace: (value: SealedValue, resealed: string) => Effect.Effect<boolean, never, Transaction>
}

/** What became of the values of a store. */
export interface ResealCounts {
  /** Sealed again; without `dryRun`, that is. */
  readonly resealed: number
  /** Under the current key already. */
  readonly current: number
  /** Changed or erased by somebody else in the meantime. */
  readonly superseded: number
  /** What does not open: under a key that this process does not have, or altered. It was left as it is. */
  readonly unreadable: number
}

/** How many values are read, and replaced in one transaction. */
export const RESEAL_PAGE = 100

const NOTHING: ResealCounts = { resealed: 0, current: 0, superseded: 0, unreadable: 0 }

const sum = (one: ResealCounts, other: ResealCounts): ResealCounts => ({
  resealed: one.resealed + other.resealed,
  current: one.current + other.current,
  superseded: one.superseded + other.superseded,
  unreadable: one.unreadable + other.unreadable
})

const resealPage = Effect.fnUntraced(function* (
  values: SealedValues,
  page: ReadonlyArray<SealedValue>,
  dryRun: boolean
) {
  const box = yield* SecretBox
  const unit = yield* UnitOfWork
  const resealed: Array<{ readonly value: SealedValue; readonly sealed: string }> = []
  let current = 0
  let unreadable = 0
  for (const value of page) {
    const result = yield* Effect.result(box.reseal(value.place, value.sealed))
    if (result._tag === "Failure") {
      unreadable++
      yield* Effect.logWarning(`A sealed value at ${value.place} cannot be opened: ${result.failure.reason}`)
    } else if (result.success === undefined) current++
    else resealed.push({ value, sealed: result.success })
  }
  if (dryRun || resealed.length === 0) return { resealed: resealed.length, current, superseded: 0, unreadable }
  // In the order of the walk, so that two who walk at once never wait for each other in a circle.
  const replaced = yield* unit.atomic(Effect.forEach(resealed, ({ sealed, value }) => values.replace(value, sealed)))
  const done = replaced.filter((one) => one).length
  const counts: ResealCounts = { resealed: done, current, superseded: replaced.length - done, unreadable }
  return counts
})

/**
 * Seals every value of a store under the key that seals now, page by page, each page in a transaction of its own. It may be
 * stopped and begun again, and run twice at once: what is current already is left alone. What is sealed meanwhile under
 * an older key, by a process that does not know the new one as its first, is for the next run to find.
 */
export const resealAll = Effect.fn("kernel.resealAll")(function* (
  values: SealedValues,
  options: {
    /** Count only. */
    readonly dryRun?: boolean | undefined
    /** How many pages are looked at; all of them unless told otherwise. */
    readonly pagesMax?: number | undefined
    /** Is told after every page what has become of all values so far. */
    readonly onPage?: ((counts: ResealCounts) => Effect.Effect<void>) | undefined
  } = {}
) {
  let counts = NOTHING
  let after: string | undefined
  for (let pages = 0; pages < (options.pagesMax ?? Number.POSITIVE_INFINITY); pages++) {
    const page = yield* values.page(after, RESEAL_PAGE)
    const last = page.at(-1)
    if (last === undefined) return counts
    counts = sum(counts, yield* resealPage(values, page, options.dryRun ?? false))
    if (options.onPage !== undefined) yield* options.onPage(counts)
    after = last.position
  }
  return counts
})
