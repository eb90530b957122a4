/** Requests that this process has counted in advance, so that only few requests need the store. */
import { Clock, Effect, Semaphore } from "effect"
import { type Limited, limitedId, type RateLimits } from "./ports/RateLimits.ts"
import { blockOf, isSameLimit, nanosPerRequest, type RateLimit, type RateLimitReading } from "./RequestBucket.ts"

/** Most keys and workspaces whose blocks are remembered. */
const REMEMBERED_MAX = 10_000

const SECOND = 1_000_000_000n

interface Block {
  readonly rateLimit: RateLimit
  /** The last reading from the store, and when it was read, by the monotonic clock in nanoseconds. */
  reading: RateLimitReading
  askedAt: bigint
  /** How many counted requests have not been made yet. */
  left: number
  /** The end of the time in which `left` may be used or a refusal holds, by the same clock. */
  until: bigint
  /** Held by the request that asks the store; the key's other requests wait for it. */
  readonly asking: Semaphore.Semaphore
}

/** A refusal that was read `nanos` ago, as it reads now. */
const afterWaiting = (reading: RateLimitReading, nanos: bigint): RateLimitReading => {
  const seconds = Number(nanos / SECOND)
  return {
    ...reading,
    resetSeconds: reading.resetSeconds - seconds,
    retryAfterSeconds: Math.max(1, reading.retryAfterSeconds - seconds)
  }
}

/**
 * Counts requests in blocks of a hundredth of the limit, by one `take` for each block. Under a limit below 200 a block is one
 * request. What is left of a block can be used until the limit's window has passed, so each process may exceed the limit by one
 * block; after that, or when the process ends, it is lost. A refusal is repeated without asking the store, until it ends or the
 * bucket has filled by a block, whichever is sooner.
 */
export const makeRequestBlocks = (take: RateLimits["Service"]["take"]) => {
  const blocks = new Map<string, Block>()

  const ask = Effect.fnUntraced(function* (limited: Limited, block: Block) {
    const { rateLimit } = limited
    const size = blockOf(rateLimit)
    let counted = size
    let reading = yield* take(limited, size)
    // A whole block may be beyond the limit while one request is within it.
    if (!reading.taken && size > 1) {
      counted = 1
      reading = yield* take(limited, 1)
    }
    const now = yield* Clock.monotonicTimeNanos
    const blockNanos = nanosPerRequest(rateLimit) * BigInt(size)
    block.reading = reading
    block.left = reading.taken ? counted : 0
    // A refusal is rounded up to seconds. Its block lasts a second less, so that it never outlasts the refusal.
    const refusedNanos = BigInt(Math.max(1, reading.retryAfterSeconds - 1)) * SECOND
    block.askedAt = now
    const repeatedNanos = refusedNanos < blockNanos ? refusedNanos : blockNanos
    block.until = now + (reading.taken ? BigInt(rateLimit.windowSeconds) * SECOND : repeatedNanos)
  })

  const blockFor = (limited: Limited): Block => {
    const id = limitedId(limited)
    const known = blocks.get(id)
    if (known !== undefined && isSameLimit(known.rateLimit, limited.rateLimit)) {
      // Moved to the end, so that the first is the one that was used least recently.
      blocks.delete(id)
      blocks.set(id, known)
      return known
    }
    blocks.delete(id)
    // Only the block that was used least recently goes. If all went, every key would lose the rest of its block.
    const [oldest] = blocks.size >= REMEMBERED_MAX ? blocks.keys() : []
    if (oldest !== undefined) blocks.delete(oldest)
    const reading = { taken: true, remaining: 0, resetSeconds: 0, retryAfterSeconds: 0 }
    const asking = Semaphore.makeUnsafe(1)
    const fresh: Block = { rateLimit: limited.rateLimit, reading, left: 0, askedAt: 0n, until: 0n, asking }
    blocks.set(id, fresh)
    return fresh
  }

  /** The answer that the block gives by itself; undefined when the store has to be asked. */
  const answerOf = (block: Block, now: bigint): RateLimitReading | undefined => {
    if (now >= block.until) return undefined
    if (!block.reading.taken) return afterWaiting(block.reading, now - block.askedAt)
    if (block.left === 0) return undefined
    block.left -= 1
    return { ...block.reading, remaining: block.reading.remaining + block.left }
  }

  /** Asks the store until the block has an answer. An earlier request, which this one waited for, may have got one already. */
  const askFor = Effect.fnUntraced(function* (limited: Limited, block: Block) {
    while (true) {
      const answer = answerOf(block, yield* Clock.monotonicTimeNanos)
      if (answer !== undefined) return answer
      // Uninterruptible, since requests that the store has counted must be noted even when the caller goes away.
      yield* Effect.uninterruptible(ask(limited, block))
      if (!block.reading.taken) return block.reading
    }
  })

  return Effect.fnUntraced(function* (limited: Limited): Effect.fn.Return<RateLimitReading> {
    const block = blockFor(limited)
    const answer = answerOf(block, yield* Clock.monotonicTimeNanos)
    return answer ?? (yield* block.asking.withPermits(1)(askFor(limited, block)))
  })
}
