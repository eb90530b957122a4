import { Data, Effect, Redacted, Result } from "effect"
import { Digest } from "effect/crypto"
import * as Base64 from "effect/encoding/Base64"

/** A key-encryption key. Its id is written beside everything that it seals, and is no secret. */
export interface EncryptionKey {
  readonly id: string
  /** Base64 of exactly 32 bytes. */
  readonly key: Redacted.Redacted
}

/** The key that seals, and former ones that only open. */
export interface EncryptionKeys {
  readonly current: EncryptionKey
  readonly previous?: ReadonlyArray<EncryptionKey> | undefined
}

/** SECRETS_KEY cannot be used. The message names the entry and its fault, and never shows a key. */
export class SecretsKeyInvalid extends Data.TaggedError("SecretsKeyInvalid")<{ readonly detail: string }> {
  override get message() {
    return (
      `SECRETS_KEY ${this.detail}. It holds a key, which is the base64 of 32 random bytes, or several with commas ` +
      "between them, the current one first; each may be written id:base64. `openssl rand -base64 32` makes a key"
    )
  }
}

const KEY_BYTES = 32
const ID = /^[A-Za-z0-9_-]{1,64}$/

/** The bytes of a key. Fails with a sentence that begins with `place`, the words for the entry. */
export const keyBytes = (place: string, key: Redacted.Redacted): Effect.Effect<Uint8Array, SecretsKeyInvalid> => {
  const bytes = Base64.decode(Redacted.value(key))
  if (Result.isFailure(bytes)) return Effect.fail(new SecretsKeyInvalid({ detail: `${place} is not base64` }))
  if (bytes.success.length !== KEY_BYTES) {
    const detail = `${place} has ${bytes.success.length} bytes instead of ${KEY_BYTES}`
    return Effect.fail(new SecretsKeyInvalid({ detail }))
  }
  return Effect.succeed(bytes.success)
}

/** The id of a key that came without one. It is the same each time for the same key, and tells nothing about it. */
const derivedId = (bytes: Uint8Array): Effect.Effect<string, never, Digest.Digest> =>
  Digest.Digest.use((digest) => digest.digest(Digest.sha256, bytes)).pipe(
    Effect.orDie,
    Effect.map((hash) => Array.from(hash.slice(0, 4), (byte) => byte.toString(16).padStart(2, "0")).join(""))
  )

const parseEntry = Effect.fnUntraced(function* (entry: string, index: number, count: number) {
  const place = count === 1 ? "has a key that" : `has an entry (number ${index + 1}) that`
  const colon = entry.indexOf(":")
  if (colon === -1) {
    const key = Redacted.make(entry)
    return { id: yield* derivedId(yield* keyBytes(place, key)), key }
  }
  const id = entry.slice(0, colon)
  if (!ID.test(id)) {
    return yield* new SecretsKeyInvalid({ detail: `${place} has an id of other than 1 to 64 letters, digits, _ and -` })
  }
  const key = Redacted.make(entry.slice(colon + 1))
  yield* keyBytes(place, key)
  return { id, key }
})

/**
 * Reads the value of SECRETS_KEY: one key or several, with commas between them and the current one first, each as `key` or
 * `id:key`. The id of a bare key follows from it, so that a key keeps it when a new one is put in front. Fails with
 * SecretsKeyInvalid.
 */
export const parseSecretsKey = Effect.fnUntraced(function* (value: Redacted.Redacted) {
  const entries = Redacted.value(value)
    .split(",")
    .map((entry) => entry.trim())
  const keys = yield* Effect.forEach(entries, (entry, index) => parseEntry(entry, index, entries.length))
  const [current, ...previous] = keys
  if (current === undefined) return yield* new SecretsKeyInvalid({ detail: "is empty" })
  if (new Set(keys.map((key) => key.id)).size < keys.length) {
    return yield* new SecretsKeyInvalid({ detail: "has the same id twice" })
  }
  const parsed: EncryptionKeys = { current, previous }
  return parsed
})
