/** The key that calls are made with, where it may be another one later. */

/** A key, or what gives one. */
export type GivenKey = string | (() => string | Promise<string>)

export interface HeldKey {
  /** The key for the next request; undefined where there is none. Fails as what gives it does. */
  readonly current: () => Promise<string | undefined>
  /** Whether there may be another in the place of this one, which was refused. */
  readonly renew: (refused: string | undefined) => boolean
}

/** Asks what gives keys once for all calls, and once more when the key is refused. */
export const holdKey = (given: GivenKey | undefined): HeldKey => {
  if (typeof given !== "function") return { current: async () => given, renew: () => false }
  let held: Promise<string> | undefined
  let last: string | undefined
  return {
    current: async () => {
      held ??= Promise.resolve().then(given)
      const asked = held
      try {
        last = await asked
      } catch (cause) {
        if (held === asked) held = undefined
        throw cause
      }
      return last
    },
    renew: (refused) => {
      // Of several calls that were refused together the first has asked already.
      if (refused === last) held = undefined
      return true
    }
  }
}
