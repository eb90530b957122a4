import type { Configuration } from "openid-client"

/** How long what a provider says of itself is taken for true, in milliseconds. Its keys are renewed by the library. */
const FRESH_MILLIS = 60 * 60 * 1_000

/** How often it is asked, and how long is waited before each further time, in milliseconds. */
const RETRY_MILLIS = [100, 400]

const pause = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis))

const persistently = async <A>(attempt: () => Promise<A>, waits: ReadonlyArray<number>): Promise<A> => {
  try {
    return await attempt()
  } catch (error) {
    const [wait, ...others] = waits
    if (wait === undefined) throw error
    await pause(wait)
    return persistently(attempt, others)
  }
}

/**
 * Remembers what `discover` finds for an hour. Everybody who comes while it is being asked waits for the one answer. A
 * failure is not remembered: the next login asks again; and while there is an earlier answer, that goes on to serve.
 */
export const makeDiscovery = (
  discover: () => Promise<Configuration>,
  now: () => number = Date.now
): (() => Promise<Configuration>) => {
  let found: { readonly configuration: Configuration; readonly until: number } | undefined
  let pending: Promise<Configuration> | undefined
  const ask = async () => {
    try {
      const configuration = await persistently(discover, RETRY_MILLIS)
      found = { configuration, until: now() + FRESH_MILLIS }
      return configuration
    } catch (error) {
      if (found === undefined) throw error
      return found.configuration
    } finally {
      pending = undefined
    }
  }
  return () => {
    if (found !== undefined && now() < found.until) return Promise.resolve(found.configuration)
    pending ??= ask()
    return pending
  }
}
