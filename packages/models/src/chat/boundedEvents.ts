/** Bounds on the events of a provider, because its SDK parses each of them at once. */
import { makeNestingCheck, type RequestFailed } from "@agent-platform/kernel"
import { Data, Effect, Stream } from "effect"

/** An event that no SDK should be given. `reason` is the code in the record of the call. */
export class UnfitEvent extends Data.TaggedError("UnfitEvent")<{
  readonly reason: "nested_too_deep" | "event_too_large"
}> {}

const LF = 0x0a
const CR = 0x0d

/** Counts the bytes of server-sent events, which an empty line ends. True for the byte that exceeds the bound. */
export const makeEventSizeCheck = (bytesMax: number): ((code: number) => boolean) => {
  let size = 0
  let isLineEmpty = true
  let last = 0
  return (code) => {
    const isSecondHalf = code === LF && last === CR
    last = code
    if (isSecondHalf) return false
    size += 1
    if (code === LF || code === CR) {
      if (isLineEmpty) size = 0
      isLineEmpty = true
      return false
    }
    isLineEmpty = false
    return size > bytesMax
  }
}

/** The pieces of a body up to an event that is too large, or to brackets in it that are nested too deep. */
export const boundedEvents = (body: Stream.Stream<Uint8Array, RequestFailed>, bytesMax: number) =>
  Stream.suspend(() => {
    const isTooDeepAt = makeNestingCheck()
    const isTooLargeAt = makeEventSizeCheck(bytesMax)
    return Stream.mapEffect(body, (piece) => {
      for (const code of piece) {
        if (isTooDeepAt(code)) return Effect.fail(new UnfitEvent({ reason: "nested_too_deep" }))
        if (isTooLargeAt(code)) return Effect.fail(new UnfitEvent({ reason: "event_too_large" }))
      }
      return Effect.succeed(piece)
    })
  })
