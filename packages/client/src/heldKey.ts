/** Holds the key of a client, and gets another one when the key is refused. */

/** A key, or a function that returns one. */
export type GivenKey = string | (() => string | Promise<string>)

export interface HeldKey {
  /** The key for the next request; undefined without a key. Fails as the function that returns it does. */
  readonly current: () => Promise<string | undefined>
  /** Lets the next request ask for another key in the place of the refused one. False if there can be no other. */
  readonly renew: (refused: string | undefined) => boolean
}

/** Calls the function once for all requests, and once more when its key is refused. */
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
      // Of several requests that were refused together, only the first has the key asked for again.
      if (refused === last) held = undefined
      return true
    }
  }
}
