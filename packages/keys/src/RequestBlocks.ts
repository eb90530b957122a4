/** Requests that this process has counted ahead, so that only few of them ask the shared count. */
import { Clock, Effect, Semaphore } from "effect"
import { type Limited, limitedId, type RateLimits } from "./ports/RateLimits.ts"
import { blockOf, isSameLimit, nanosPerRequest, type RateLimit, type RateLimitReading } from "./RequestBucket.ts"

/** Most keys and workspaces that are remembered. */
const REMEMBERED_MAX = 10_000

const SECOND = 1_000_000_000n

interface Block {
  readonly rateLimit: RateLimit
  /** Of the last time that was asked for. */
  reading: RateLimitReading
  askedAt: bigint
  /** Requests that are counted and were not made yet. */
  left: number
  /** Until when `left` may be used, and until when a refusal holds; by the monotonic clock, in nanoseconds. */
  until: bigint
  /** Held by the request that asks the store; the others of the key wait for it. */
  readonly asking: Semaphore.Semaphore
}

/** A refusal as it is so much later. */
const afterWaiting = (reading: RateLimitReading, nanos: bigint): RateLimitReading => {
  const seconds = Number(nanos / SECOND)
  return {
    ...reading,
    resetSeconds: reading.resetSeconds - seconds,
    retryAfterSeconds: Math.max(1, reading.retryAfterSeconds - seconds)
  }
}

/**
 * Counts requests by blocks of a hundredth of the limit, each by one `take`: of a limit below 200 each request by itself. What
 * is left of a block goes with the process or after the limit's window; so the limit is never passed by more than a block for
 * each process, and a refusal holds until a block has come back or it says itself, without asking again.
 */
export const makeRequestBlocks = (take: RateLimits["Service"]["take"]) => {
  const blocks = new Map<string, Block>()

  const ask = Effect.fnUntraced(function* (limited: Limited, block: Block) {
    const { rateLimit } = limited
    const size = blockOf(rateLimit)
    let left = size
    let reading = yield* take(limited, size)
    if (!reading.taken && size > 1) {
      left = 1
      reading = yield* take(limited, 1)
    }
    const now = yield* Clock.monotonicTimeNanos
    const blockNanos = nanosPerRequest(rateLimit) * BigInt(size)
    block.reading = reading
    block.left = reading.taken ? left : 0
    // A refusal is rounded up to seconds. Its block lasts one less, so that it never outlasts the refusal.
    const refusedNanos = BigInt(Math.max(1, reading.retryAfterSeconds - 1)) * SECOND
    block.askedAt = now
    block.until =
      now +
      (reading.taken ? BigInt(rateLimit.windowSeconds) * SECOND : refusedNanos < blockNanos ? refusedNanos : blockNanos)
  })

  const blockFor = (limited: Limited): Block => {
    const id = limitedId(limited)
    const known = blocks.get(id)
    if (known !== undefined && isSameLimit(known.rateLimit, limited.rateLimit)) {
      blocks.delete(id)
      blocks.set(id, known)
      return known
    }
    blocks.delete(id)
    // Only the block asked for least lately goes: clearing all would cost everybody the rest of a block.
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

  /** Asks for blocks until one answers; the block may have an answer already when those have it that came before. */
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
