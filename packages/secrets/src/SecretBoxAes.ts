/**
 * The secret box by envelope encryption. Every secret is sealed under a data key of its own, and that one under a
 * key-encryption key; both by AES-256-GCM, bound to the place. `v1.<key id>.<sealed data key>.<sealed secret>`, the last
 * two each the base64url of nonce, ciphertext and tag.
 */
import { SecretBox, SecretUnreadable } from "@agent-platform/kernel"
import { Effect, Layer, Redacted, Result } from "effect"
import { Aead, SecureRandom } from "effect/crypto"
import * as Base64Url from "effect/encoding/Base64Url"
import { type EncryptionKeys, keyBytes, SecretsKeyInvalid } from "./EncryptionKeys.ts"

const VERSION = "v1"

const utf8 = (text: string) => new TextEncoder().encode(text)

/** The additional authenticated data (AAD) of a part: a sealed data key does not open as a secret, and neither opens in another place. */
const boundTo = (part: "key" | "secret", keyId: string, place: string) => utf8([VERSION, part, keyId, place].join("\n"))

const altered = new SecretUnreadable({ reason: "altered" })

const make = Effect.fnUntraced(function* (options: EncryptionKeys) {
  const aead = yield* Aead.Aead
  const random = yield* SecureRandom.SecureRandom
  const { current, previous = [] } = options

  const keys = new Map<string, Aead.Key>()
  for (const { id, key } of [current, ...previous]) {
    if (id === "" || id.includes("."))
      return yield* new SecretsKeyInvalid({ detail: "has a key whose id is not usable" })
    if (keys.has(id)) return yield* new SecretsKeyInvalid({ detail: "has the same id twice" })
    const bytes = yield* keyBytes(`has a key (${id}) that`, key)
    keys.set(id, yield* Effect.orDie(Aead.key(Aead.aes256Gcm, bytes)))
  }

  // Nonces are random: a data key seals once, and a key-encryption key may seal 2^32 times before that is a risk.
  const encrypt = Effect.fnUntraced(function* (key: Aead.Key, plain: Uint8Array, aad: Uint8Array) {
    const nonce = yield* random.randomBytes(Aead.aes256Gcm.nonceLength)
    const sealed = yield* aead.encrypt(key, plain, { nonce, aad })
    const whole = new Uint8Array(nonce.length + sealed.length)
    whole.set(nonce)
    whole.set(sealed, nonce.length)
    return Base64Url.encode(whole)
  }, Effect.orDie)

  const decrypt = Effect.fnUntraced(function* (key: Aead.Key, text: string, aad: Uint8Array) {
    const whole = Base64Url.decode(text)
    // Base64 can be spelled in several ways; only ours opens.
    if (Result.isFailure(whole) || Base64Url.encode(whole.success) !== text) return yield* altered
    const nonce = whole.success.slice(0, Aead.aes256Gcm.nonceLength)
    const sealed = whole.success.slice(Aead.aes256Gcm.nonceLength)
    return yield* Effect.mapError(aead.decrypt(key, sealed, { nonce, aad }), () => altered)
  })

  const seal = Effect.fnUntraced(function* (place: string, secret: Redacted.Redacted) {
    const sealer = keys.get(current.id)
    if (sealer === undefined) return yield* Effect.die(new Error("The current key is always one of the keys"))
    const bytes = yield* random.randomBytes(Aead.aes256Gcm.keyLength)
    const dataKey = yield* Effect.orDie(Aead.key(Aead.aes256Gcm, bytes))
    const sealedKey = yield* encrypt(sealer, bytes, boundTo("key", current.id, place))
    const sealedSecret = yield* encrypt(dataKey, utf8(Redacted.value(secret)), boundTo("secret", current.id, place))
    return [VERSION, current.id, sealedKey, sealedSecret].join(".")
  })

  const open = Effect.fnUntraced(function* (place: string, sealed: string) {
    const [version, keyId = "", sealedKey = "", sealedSecret = "", ...more] = sealed.split(".")
    if (version !== VERSION || more.length > 0) return yield* altered
    const opener = keys.get(keyId)
    if (opener === undefined) return yield* new SecretUnreadable({ reason: "unknown_key" })
    const bytes = yield* decrypt(opener, sealedKey, boundTo("key", keyId, place))
    const dataKey = yield* Effect.mapError(Aead.key(Aead.aes256Gcm, bytes), () => altered)
    const plain = yield* decrypt(dataKey, sealedSecret, boundTo("secret", keyId, place))
    return Redacted.make(new TextDecoder().decode(plain))
  })

  // The sealed secret is bound to the id of the key-encryption key as well, so both parts are sealed anew.
  const reseal = Effect.fnUntraced(function* (place: string, sealed: string) {
    const secret = yield* open(place, sealed)
    return sealed.startsWith(`${VERSION}.${current.id}.`) ? undefined : yield* seal(place, secret)
  })

  return SecretBox.of({ seal, open, reseal })
})

/**
 * The secret box over these keys. Sealing uses the current one; opening any. Fails with SecretsKeyInvalid when a key is not
 * the base64 of 32 bytes.
 */
export const layer = (options: EncryptionKeys): Layer.Layer<SecretBox, SecretsKeyInvalid, SecureRandom.SecureRandom> =>
  Layer.effect(SecretBox, make(options)).pipe(Layer.provide(Aead.layerWebCrypto))
