import { Effect, Redacted } from "effect"
import { Digest } from "effect/crypto"
import { Hex } from "effect/encoding"

/** The stored form of an inbound URL's token: its SHA-256 in hex. 256 random bits need no slower hash. */
export const hashOfToken = (token: Redacted.Redacted): Effect.Effect<string, never, Digest.Digest> =>
  Digest.Digest.use((digest) => digest.digest(Digest.sha256, new TextEncoder().encode(Redacted.value(token)))).pipe(
    Effect.orDie,
    Effect.map(Hex.encode)
  )
