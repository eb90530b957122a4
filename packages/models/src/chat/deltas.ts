/** A model's words on their way to the log: a few events a second instead of one a token, and no secret in them. */
import { Clock, Effect } from "effect"

/** How long words wait for others, in milliseconds. */
export const GATHER_MILLIS = 50

/** What waits for a place where it may be cut waits no longer than this, in characters. */
const PIECE_LENGTH_MAX = 8_000

/** How much of a text can be told without cutting a secret: up to its last space, and not inside of a private key. */
const tellable = (text: string): number => {
  const key = text.lastIndexOf("-----BEGIN")
  const whole = key === -1 || text.includes("-----END", key) ? text : text.slice(0, key)
  const space = whole.search(/\s\S*$/)
  const end = whole.slice(0, space + 1).replace(/\b(?:bearer|basic)\s+$/i, "").length
  return end > 0 || text.length < PIECE_LENGTH_MAX ? end : text.length
}

/** Tells a text in pieces. */
export interface Deltas {
  readonly push: (text: string) => Effect.Effect<void>
  /** Tells what has waited long enough, but for what cannot be told yet. */
  readonly tick: Effect.Effect<void>
  /** Whether something waits. */
  readonly waits: () => boolean
  /** Tells the rest. */
  readonly flush: Effect.Effect<void>
}

/** Tells pieces by `tell`, which redacts secrets. */
export const makeDeltas = (tell: (text: string) => Effect.Effect<void>): Deltas => {
  let waiting = ""
  let since = 0
  const tellUpTo = (end: number, now: number) => {
    const piece = waiting.slice(0, end)
    waiting = waiting.slice(end)
    since = now
    return piece === "" ? Effect.void : tell(piece)
  }
  const tick = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (waiting === "" || now - since < GATHER_MILLIS) return Effect.void
    return tellUpTo(tellable(waiting), now)
  })
  return {
    push: (text) =>
      Effect.andThen(
        Effect.map(Clock.currentTimeMillis, (now) => {
          if (waiting === "") since = now
          waiting += text
        }),
        tick
      ),
    tick,
    waits: () => waiting !== "",
    flush: Effect.suspend(() => tellUpTo(waiting.length, 0))
  }
}
