import { Clock, Effect } from "effect"
import { SecureRandom } from "effect/crypto"

/** The digits of a claim's `by`: the first name the worker, the others count its claims. */
const WORKER_DIGITS = 10
const COUNT_DIGITS = 6

/** The worker that a claim token was made for, as its first log line has it. */
export const workerOf = (claimToken: string): string => claimToken.replaceAll("-", "").slice(0, WORKER_DIGITS)

/**
 * Names the claims of one worker, and remembers those whose answer was lost: the store may have committed them all the same, as when
 * it failed over between the commit and the answer. Nobody began those runs, so they are handed back, which costs no attempt.
 */
export const makeClaimers = Effect.fnUntraced(function* (leaseSeconds: number) {
  const random = yield* SecureRandom.SecureRandom
  const clock = yield* Clock.Clock
  const worker = (yield* random.uuidV4()).replaceAll("-", "").slice(-WORKER_DIGITS)
  yield* Effect.logInfo(`This run worker is ${worker}`)
  /** Claims without an answer, with the time of their request. After two leases nothing of one can still be held. */
  const lost = new Map<string, number>()
  let count = 0

  /** The names of the claims whose answer was lost. */
  const unanswered = (): ReadonlyArray<string> => {
    const oldest = clock.currentTimeMillisUnsafe() - 2 * leaseSeconds * 1000
    for (const [by, at] of lost) if (at < oldest) lost.delete(by)
    return [...lost.keys()]
  }

  /** Makes a claim under a fresh name, and remembers the name if no answer comes. */
  const named = <A, E, R>(claim: (by: string) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      count = (count + 1) % 16 ** COUNT_DIGITS
      const by = worker + count.toString(16).padStart(COUNT_DIGITS, "0")
      const at = clock.currentTimeMillisUnsafe()
      return Effect.onError(claim(by), () => Effect.sync(() => lost.set(by, at)))
    })

  return { unanswered, named }
})
