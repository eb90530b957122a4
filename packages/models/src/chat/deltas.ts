/** A model's words on their way to the log: a few events a second instead of one a token, and no secret in them. */
import { Clock, Effect } from "effect"

/** How long words wait for others, in milliseconds. */
export const GATHER_MILLIS = 50

/** Text is cut anywhere once this many characters wait for a place where it may be cut. */
const PIECE_LENGTH_MAX = 8_000

/**
 * The length that can be emitted without cutting a secret: up to the last space, but not inside of a private key, nor between
 * `Bearer` and the secret that follows.
 */
const emittableLength = (text: string): number => {
  const key = text.lastIndexOf("-----BEGIN")
  const whole = key === -1 || text.includes("-----END", key) ? text : text.slice(0, key)
  const space = whole.search(/\s\S*$/)
  const end = whole.slice(0, space + 1).replace(/\b(?:bearer|basic)\s+$/i, "").length
  return end > 0 || text.length < PIECE_LENGTH_MAX ? end : text.length
}

/** A text that is emitted in pieces. */
export type Deltas = ReturnType<typeof makeDeltas>

/** Emits pieces by `emit`. Where that redacts secrets, text is cut between words; else anywhere. */
export const makeDeltas = (emit: (text: string) => Effect.Effect<void>, isRedacted = true) => {
  const lengthOf = isRedacted ? emittableLength : (text: string) => text.length
  let waiting = ""
  let since = 0
  const emitUpTo = (end: number, now: number) => {
    const piece = waiting.slice(0, end)
    waiting = waiting.slice(end)
    since = now
    return piece === "" ? Effect.void : emit(piece)
  }
  const tick = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (waiting === "" || now - since < GATHER_MILLIS) return Effect.void
    return emitUpTo(lengthOf(waiting), now)
  })
  return {
    push: (text: string): Effect.Effect<void> =>
      Effect.andThen(
        Effect.map(Clock.currentTimeMillis, (now) => {
          if (waiting === "") since = now
          waiting += text
        }),
        tick
      ),
    /** Emits text that has waited long enough, except a part that must not be cut. */
    tick,
    /** Whether something waits. */
    waits: () => waiting !== "",
    /** Emits the rest. */
    flush: Effect.suspend(() => emitUpTo(waiting.length, since))
  }
}
