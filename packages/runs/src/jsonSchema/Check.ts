/** Checks of values by a JSON Schema, and the counting of their steps. */
import type { Schema } from "effect"

export type Json = Schema.Json
export type JsonObject = { readonly [name: string]: Json }
export type Path = ReadonlyArray<string | number>

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** One way in which a value is not as its schema says. */
export interface Difference {
  /** Its place in the value, innermost first. */
  readonly path: Array<string | number>
  /** The requirement that is not met, as the end of a sentence that begins with the place. */
  readonly detail: string
}

/** Returns how a value differs; undefined where it does not. Throws TooManySteps. */
export type Check = (value: Json, steps: Steps) => Difference | undefined

export const differs = (detail: string): Difference => ({ path: [], detail })

/** The difference of a member or an item with its key added to the path, seen from the value that has it. */
export const within = (key: string | number, difference: Difference | undefined): Difference | undefined => {
  difference?.path.push(key)
  return difference
}

/** The first difference that is found among these. */
export const firstOf = <A>(
  all: Iterable<A>,
  differenceOf: (one: A) => Difference | undefined
): Difference | undefined => {
  for (const one of all) {
    const difference = differenceOf(one)
    if (difference !== undefined) return difference
  }
  return undefined
}

/** Checks objects by each of these that is named like one of their members. */
export const whenPresent =
  (checks: ReadonlyArray<readonly [name: string, check: Check]>): Check =>
  (value, steps) =>
    isObject(value)
      ? firstOf(checks, ([name, check]) => {
          steps.take(1)
          return Object.hasOwn(value, name) ? check(value, steps) : undefined
        })
      : undefined

/** A check would take more steps than it may, or its references lead too deep. */
export class TooManySteps extends Error {}

/** Most schemas inside each other, references followed. A value and a schema are each nested up to 100 levels. */
const DEPTH_MAX = 500

/** Steps for each listed name of an object: it takes longer than other steps. */
const NAME_STEPS = 4

/** Counts the steps of one check while they are done: one for each schema, keyword, item and compared character. */
export class Steps {
  #left: number
  #depth = 0

  constructor(max: number) {
    this.#left = max
  }

  take(count: number): void {
    this.#left -= count
    if (this.#left < 0) throw new TooManySteps()
  }

  /** The names of an object's members. */
  namesOf(value: JsonObject): ReadonlyArray<string> {
    const names = Object.keys(value)
    this.take(NAME_STEPS * names.length)
    return names
  }

  /** Applies a schema's checks to a value, up to the first difference. */
  apply(checks: ReadonlyArray<Check>, value: Json): Difference | undefined {
    this.take(1 + checks.length)
    if (++this.#depth > DEPTH_MAX) throw new TooManySteps()
    const difference = firstOf(checks, (check) => check(value, this))
    this.#depth--
    return difference
  }
}
