/** Documents in blocks of one size, so that other work goes on while one is made or sent. */
import { Effect, Stream } from "effect"
import { utf8 } from "../utf8.ts"

/** The size of a block: other work has its turn after each, and at most one waits for a reader. */
export const BLOCK_BYTES = 64 * 1024

/** The same bytes in blocks of one size, whatever sizes the pieces have; the last may be smaller. */
export function* inBlocks(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  let block = new Uint8Array(BLOCK_BYTES)
  let filled = 0
  for (const piece of pieces) {
    for (let taken = 0; taken < piece.length; ) {
      const part = piece.subarray(taken, taken + BLOCK_BYTES - filled)
      block.set(part, filled)
      taken += part.length
      filled += part.length
      if (filled < BLOCK_BYTES) continue
      yield block
      block = new Uint8Array(BLOCK_BYTES)
      filled = 0
    }
  }
  if (filled > 0) yield block.subarray(0, filled)
}

/** A stream of blocks, each made when it is asked for; other fibers run in between. */
export const streamed = (pieces: () => Iterable<Uint8Array>): Stream.Stream<Uint8Array> =>
  Stream.suspend(() => Stream.fromIterable(inBlocks(pieces()), { chunkSize: 1 })).pipe(
    Stream.tap(() => Effect.yieldNow)
  )

/** Texts as UTF-8. */
export function* encoded(texts: Iterable<string>): Generator<Uint8Array> {
  for (const text of texts) yield utf8(text)
}

/** How many bytes there are. Counts no further than the first block that goes beyond `enough`. */
export const lengthOf = (blocks: Stream.Stream<Uint8Array>, enough = Number.POSITIVE_INFINITY) =>
  Effect.suspend(() => {
    let length = 0
    return Stream.runForEachWhile(blocks, (block) =>
      Effect.sync(() => {
        length += block.length
        return length <= enough
      })
    ).pipe(Effect.map(() => length))
  })
