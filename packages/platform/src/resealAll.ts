import { type SealedValue, type SealedValues, SecretBox, UnitOfWork } from "@agent-platform/kernel"
import { Effect } from "effect"

/** Counts of the values of a store by their outcome. */
export interface ResealCounts {
  /** Values that were sealed again, or with `dryRun` would be. */
  readonly resealed: number
  /** Values that are sealed under the current key already. */
  readonly current: number
  /** Values that were changed or erased in the meantime. */
  readonly superseded: number
  /** Values under a key that this process does not have, or that were altered. They are left as they are. */
  readonly unreadable: number
}

/** How many values are read, and replaced in one transaction. */
export const RESEAL_PAGE = 100

/** How many values are counted at once. */
const COUNT_PAGE = 1_000

/** How many values the stores hold; those of the first store are counted after the position `after`. */
export const countSealed = Effect.fn("platform.countSealed")(function* (
  stores: ReadonlyArray<SealedValues>,
  after?: string | undefined
) {
  let count = 0
  for (const [index, values] of stores.entries()) {
    let last = index === 0 ? after : undefined
    while (true) {
      const page = yield* values.page(last, COUNT_PAGE)
      count += page.length
      if (page.length < COUNT_PAGE) break
      last = page.at(-1)?.position
    }
  }
  return count
})

/** How many values of a store were looked at. */
export const seenOf = ({ current, resealed, superseded, unreadable }: ResealCounts): number =>
  resealed + current + superseded + unreadable

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
  // In the order of positions, so that two processes that do this at once cannot deadlock.
  const replaced = yield* unit.atomic(Effect.forEach(resealed, ({ sealed, value }) => values.replace(value, sealed)))
  const done = replaced.filter((one) => one).length
  const counts: ResealCounts = { resealed: done, current, superseded: replaced.length - done, unreadable }
  return counts
})

/**
 * Seals every value of a store under the current key, page by page, each page in a transaction of its own. It may be stopped and
 * begun again, and run twice at once: values under the current key are left alone. Processes with an older key may seal under that
 * meanwhile; the next run finds those values.
 */
export const resealAll = Effect.fn("platform.resealAll")(function* (
  values: SealedValues,
  options: {
    /** Count only. */
    readonly dryRun?: boolean | undefined
    /** How many pages are looked at; all of them by default. */
    readonly pagesMax?: number | undefined
    /** Called after every page with the counts so far. */
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
