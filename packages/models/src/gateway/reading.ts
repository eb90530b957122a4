/** Reads bodies in the shapes of other interfaces, whose parts no schema of ours describes. */
import { readJson } from "@agent-platform/kernel"
import { Data, Effect, Predicate } from "effect"

/** Why a body cannot be taken: the place in it, as a JSON pointer, and the end of a sentence that begins with that. */
export class BodyUnfit extends Data.TaggedError("BodyUnfit")<{ readonly pointer: string; readonly detail: string }> {}

/** Ends the reading of a body. */
export const unfit = (pointer: string, detail: string): never => {
  throw new BodyUnfit({ pointer, detail })
}

/** The value that a function reads; fails with BodyUnfit where it ends by `unfit`. */
export const reading = <A>(read: () => A): Effect.Effect<A, BodyUnfit> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(read())
    } catch (thrown) {
      if (thrown instanceof BodyUnfit) return Effect.fail(thrown)
      throw thrown
    }
  })

export type Members = Readonly<Record<string, unknown>>

// These take the value itself: `at` is its place, for the error where it does not fit.

export const membersAt = (value: unknown, at: string): Members =>
  Predicate.isReadonlyObject(value) && !Array.isArray(value) ? (value as Members) : unfit(at, "must be an object")

export const textAt = (value: unknown, at: string): string =>
  typeof value === "string" ? value.toWellFormed() : unfit(at, "must be a text")

export const listAt = (value: unknown, at: string, lengthMax: number): ReadonlyArray<unknown> => {
  if (!Array.isArray(value)) return unfit(at, "must be a list")
  return value.length <= lengthMax ? value : unfit(at, `must have at most ${lengthMax} items`)
}

/** Reads a value that may be missing or null. */
export const maybeAt = <A>(read: (value: unknown, at: string) => A, value: unknown, at: string): A | undefined =>
  value === undefined || value === null ? undefined : read(value, at)

/** JSON in a text that is to be an object, read as it was written. */
export const objectIn = (text: string): Members | undefined => {
  const { changed, value } = readJson(text === "" ? "{}" : text)
  const isObject = Predicate.isReadonlyObject(value) && !Array.isArray(value)
  return isObject && changed === undefined ? (value as Members) : undefined
}
