/**
 * Secrets that a browser keeps in a cookie: 256 random bits as 43 digits of base64url. One kind continues a login, the other
 * proves a session. Only their SHA-256 is stored; `state`, `nonce` and the CSRF token are derived from them.
 */
import { hmacSha256 } from "@agent-platform/toolkit"
import { Effect, Redacted } from "effect"
import { Digest, Mac, SecureRandom } from "effect/crypto"
import { Base64Url, Hex } from "effect/encoding"

const BYTES = 32

/** The last digit holds four bits, so only every fourth digit can end a secret. */
const FORM = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/

const utf8 = new TextEncoder()

/** The values derived from a secret. None of them reveals anything about the secret or about another. */
export type Derivation = "state" | "nonce" | "code_verifier" | "csrf"

/** A new secret. */
export const generateLoginSecret: Effect.Effect<Redacted.Redacted, never, SecureRandom.SecureRandom> = Effect.map(
  SecureRandom.SecureRandom.use((random) => random.randomBytes(BYTES)),
  (bytes) => Redacted.make(Base64Url.encode(bytes))
)

/** Whether a text has the form of a secret. Costs no query. */
export const isLoginSecret = (secret: Redacted.Redacted): boolean => FORM.test(Redacted.value(secret))

const sha256 = (text: string): Effect.Effect<Uint8Array, never, Digest.Digest> =>
  Effect.orDie(Digest.Digest.use((digest) => digest.digest(Digest.sha256, utf8.encode(text))))

/** The stored form of a secret: its SHA-256 in hex. 256 random bits need no slower hash. */
export const hashLoginSecret = (secret: Redacted.Redacted): Effect.Effect<string, never, Digest.Digest> =>
  Effect.map(sha256(Redacted.value(secret)), Hex.encode)

/** 43 digits of base64url that only the holder of the secret can make: its HMAC-SHA256 over the purpose. */
export const derive = (secret: Redacted.Redacted, purpose: Derivation): string =>
  hmacSha256(Redacted.value(secret), "base64url", `agent-platform/login/v1/${purpose}`)

/** The S256 challenge of a code verifier. RFC 7636, 4.2. */
export const challengeOf = (codeVerifier: string): Effect.Effect<string, never, Digest.Digest> =>
  Effect.map(sha256(codeVerifier), Base64Url.encode)

/** Whether two texts are the same. The comparison takes the same time wherever they differ. */
export const isSame = (one: string, other: string): boolean => Mac.timingSafeEqual(utf8.encode(one), utf8.encode(other))
