/** Requests that this process has counted ahead, so that not each of them asks the count that all processes share. */
import { Clock, Deferred, Effect } from "effect"
import type { LimitedKey, LimitedWorkspace, RateLimits } from "./ports/RateLimits.ts"
import { blockOf, isSameLimit, nanosPerRequest, type RateLimit, type RateLimitReading } from "./RateLimit.ts"

/** Most keys and workspaces that are remembered. */
const REMEMBERED_MAX = 10_000

interface Block {
  readonly rateLimit: RateLimit
  /** Of the last time that was asked for. */
  reading: RateLimitReading
  /** Requests that are counted and were not made yet. */
  left: number
  /** Until when `left` may be used, and until when a refusal holds; by the monotonic clock, in nanoseconds. */
  until: bigint
  /** Opens when whoever asks has an answer; undefined while nobody asks. */
  asking: Deferred.Deferred<void> | undefined
}

const idOf = (limited: LimitedKey | LimitedWorkspace): string => ("id" in limited ? limited.id : limited.workspaceId)

/**
 * Counts requests by blocks of a hundredth of the limit, each by one `take`: of a limit below 200 each request by itself. What
 * is left of a block goes with the process or after the limit's window; so the limit is never passed by more than a block for
 * each process, and a refusal holds until a block has come back, without asking again.
 */
export const makeRequestBlocks = (take: RateLimits["Service"]["take"]) => {
  const blocks = new Map<string, Block>()

  const ask = Effect.fnUntraced(function* (limited: LimitedKey | LimitedWorkspace, block: Block) {
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
    block.until = now + (reading.taken ? BigInt(rateLimit.windowSeconds) * 1_000_000_000n : blockNanos)
  })

  const blockFor = (limited: LimitedKey | LimitedWorkspace): Block => {
    const id = idOf(limited)
    const known = blocks.get(id)
    if (known !== undefined && isSameLimit(known.rateLimit, limited.rateLimit)) return known
    if (blocks.size >= REMEMBERED_MAX) blocks.clear()
    const reading = { taken: true, remaining: 0, resetSeconds: 0, retryAfterSeconds: 0 }
    const fresh: Block = { rateLimit: limited.rateLimit, reading, left: 0, until: 0n, asking: undefined }
    blocks.set(id, fresh)
    return fresh
  }

  /** What the block answers by itself; undefined when it has to be asked for. */
  const answerOf = (block: Block, now: bigint): RateLimitReading | undefined => {
    if (now >= block.until) return undefined
    if (!block.reading.taken) return block.reading
    if (block.left === 0) return undefined
    block.left -= 1
    return { ...block.reading, remaining: block.reading.remaining + block.left }
  }

  return Effect.fnUntraced(function* (limited: LimitedKey | LimitedWorkspace): Effect.fn.Return<RateLimitReading> {
    const block = blockFor(limited)
    while (true) {
      const answer = answerOf(block, yield* Clock.monotonicTimeNanos)
      if (answer !== undefined) return answer
      if (block.asking !== undefined) {
        yield* Deferred.await(block.asking)
        continue
      }
      const asking = Deferred.makeUnsafe<void>()
      block.asking = asking
      // Also when whoever asks is interrupted or fails: those who wait ask then by themselves.
      const opened = Effect.suspend(() => {
        block.asking = undefined
        return Deferred.succeed(asking, undefined)
      })
      yield* Effect.ensuring(ask(limited, block), opened)
    }
  })
}
