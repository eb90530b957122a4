import { Effect } from "effect"
import { Mac } from "effect/crypto"

const utf8 = new TextEncoder()

const bytesOf = (part: string | Uint8Array): Uint8Array => (typeof part === "string" ? utf8.encode(part) : part)

/** The parts one after another, as bytes. */
export const joined = (parts: ReadonlyArray<string | Uint8Array>): Uint8Array => {
  const pieces = parts.map(bytesOf)
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** The HMAC-SHA256 of the parts one after another. A key must not be empty. */
export const hmacSha256 = (
  key: string | Uint8Array,
  ...parts: ReadonlyArray<string | Uint8Array>
): Effect.Effect<Uint8Array, never, Mac.Mac> =>
  Mac.key(Mac.hmacSha256, bytesOf(key)).pipe(
    Effect.flatMap((imported) => Mac.Mac.use((mac) => mac.sign(imported, joined(parts)))),
    Effect.orDie
  )
