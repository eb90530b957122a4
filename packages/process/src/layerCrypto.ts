import { createHmac, createSecretKey, type KeyObject } from "node:crypto"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Layer } from "effect"
import { type Digest, Mac, SecureRandom, type Signature } from "effect/crypto"

const NAMES: Readonly<Record<Digest.Algorithm["name"], string>> = {
  MD5: "md5",
  "SHA-1": "sha1",
  "SHA-256": "sha256",
  "SHA-384": "sha384",
  "SHA-512": "sha512"
}

/** Keys in the runtime's own form, for as long as their bytes are in use. */
const keyObjects = new WeakMap<Uint8Array, KeyObject>()

const keyObjectOf = (bytes: Uint8Array): KeyObject => {
  const known = keyObjects.get(bytes)
  if (known !== undefined) return known
  const made = createSecretKey(bytes)
  keyObjects.set(bytes, made)
  return made
}

/** Node 24 takes 45 µs for a code whose key comes as bytes, and 7 when it comes as a key object. */
const layerMac = Mac.layerWebCryptoWith({
  hmac: (hash, key, data) => new Uint8Array(createHmac(NAMES[hash], keyObjectOf(key)).update(data).digest())
}).pipe(Layer.provide(SecureRandom.layerWebCrypto))

/**
 * Digests, message codes and random bytes by `node:crypto`, which serves Node and Deno. WebCrypto would do the same through
 * another thread: every delivery is signed and every request hashes its key, and neither has time for that.
 */
export const layerCrypto: Layer.Layer<Digest.Digest | Mac.Mac | SecureRandom.SecureRandom | Signature.Signature> =
  Layer.mergeAll(NodeCrypto.layerDigest, layerMac, NodeCrypto.layerSecureRandom, NodeCrypto.layerSignature)
