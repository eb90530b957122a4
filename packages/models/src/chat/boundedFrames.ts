/** Bounds on the frames of an answer of Amazon's, in its binary form of event streams. */
import { makeNestingCheck, type RequestFailed } from "@agent-platform/kernel"
import { Effect, Stream } from "effect"
import { UnfitEvent } from "./boundedEvents.ts"

/**
 * A frame is a prelude (its length, the length of its headers, and a checksum of both), headers, a payload, and a checksum of it all. Lengths
 * and checksums have 4 bytes each.
 */
const PRELUDE_BYTES = 12
const CHECKSUM_BYTES = 4

type Unfit = UnfitEvent["reason"]

/** Looks at a body byte by byte: the reason why a frame is refused, undefined while none is. */
const makeFrameCheck = (bytesMax: number): ((code: number) => Unfit | undefined) => {
  let at = 0
  let length = 0
  let headers = 0
  let isTooDeepAt = makeNestingCheck()
  return (code) => {
    if (at < 4) length = length * 256 + code
    else if (at < 8) headers = headers * 256 + code
    at += 1
    if (at === 4 && (length > bytesMax || length < PRELUDE_BYTES + CHECKSUM_BYTES)) return "event_too_large"
    const isPayload = at > PRELUDE_BYTES + headers && at <= length - CHECKSUM_BYTES
    if (isPayload && isTooDeepAt(code)) return "nested_too_deep"
    if (at >= PRELUDE_BYTES && at === length) {
      at = 0
      length = 0
      headers = 0
      isTooDeepAt = makeNestingCheck()
    }
    return undefined
  }
}

/** The pieces of a body up to a frame that is too large or has an impossible length, or that holds brackets that are nested too deep. */
export const boundedFrames = (body: Stream.Stream<Uint8Array, RequestFailed>, bytesMax: number) =>
  Stream.suspend(() => {
    const unfitAt = makeFrameCheck(bytesMax)
    return Stream.mapEffect(body, (piece) => {
      for (const code of piece) {
        const reason = unfitAt(code)
        if (reason !== undefined) return Effect.fail(new UnfitEvent({ reason }))
      }
      return Effect.succeed(piece)
    })
  })
