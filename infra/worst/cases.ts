/** A case: one input that can be sent in any size. */
import type { Known } from "./documents.ts"

/** One row of the table. */
export interface Case {
  /** The operation that is asked, or the stranger whose answer is measured. */
  readonly endpoint: string
  /** Where it grows, and how. */
  readonly member: string
  /** Sizes in bytes, each twice the one before. */
  readonly sizes: ReadonlyArray<number>
  /** Prepares an input of this size, and answers the measured action, whose answer is the outcome. */
  readonly prepare: (size: number) => Promise<(millisMax: number) => Promise<string>>
}

/** How much of everything is tried. */
export interface Scale {
  /** How often a size is doubled on the way to the largest. */
  readonly doublings: number
  /** The largest is the limit divided by this. */
  readonly divisor: number
  /** Whether a sample is enough where thousands of small inputs cost little each. */
  readonly isSampled: boolean
  /** One place of a body in so many is filled. */
  readonly placesPerCase: number
  /** Decides what is in a sample. */
  readonly seed: number
  /** Sound values of members, by name, instead of those that bodies have otherwise. */
  readonly known?: Known
}

/** Every way of filling every place, up to what the limits admit. */
export const FULL: Scale = { doublings: 4, divisor: 1, isSampled: false, placesPerCase: 1, seed: 1 }

/** One way of filling each place. */
export const SAMPLE: Scale = { ...FULL, isSampled: true }

/** The same with smaller sizes and fewer places, for `npm test`. */
export const SHORT: Scale = { ...SAMPLE, doublings: 2, divisor: 8, placesPerCase: 12 }

/** The sizes of a scale below a limit, the smallest first. None is below `least`. */
export const sizesBelow = (limit: number, { divisor, doublings }: Scale, least = 512): ReadonlyArray<number> =>
  Array.from({ length: doublings + 1 }, (_, index) => Math.floor(limit / divisor / 2 ** (doublings - index))).filter(
    (size) => size >= least
  )

/** Of a few cases that belong together: all of them, or for a sample one, another at each `turn`. */
export const chosen = <A>(all: ReadonlyArray<A>, { isSampled, seed }: Scale, turn: number): ReadonlyArray<A> =>
  isSampled && all.length > 0 ? [all[(turn + seed) % all.length] as A] : all

/** All cases, or for a sample one of every `oneOf`; the seed says which. */
export const sampled = <A>(all: ReadonlyArray<A>, { isSampled, seed }: Scale, oneOf: number): ReadonlyArray<A> =>
  isSampled ? all.filter((_, index) => index % oneOf === seed % oneOf) : all
