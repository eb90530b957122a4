import { hash } from "node:crypto"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer } from "effect"
import { Digest, Mac, SecureRandom, type Signature } from "effect/crypto"
import { HASHES, hmac } from "./hmac.ts"
import { layerSecureRandom } from "./layerSecureRandom.ts"

/** In one step: `createHash` makes an object for each digest, which the garbage collector has to be told of. */
const layerDigest = Layer.succeed(Digest.Digest, {
  digest: ({ name }, data) => Effect.sync(() => new Uint8Array(hash(HASHES[name].name, data, "buffer"))),
  digestHex: ({ name }, data) => Effect.sync(() => hash(HASHES[name].name, data, "hex"))
})

const layerMac = Mac.layerWebCryptoWith({ hmac }).pipe(Layer.provide(SecureRandom.layerWebCrypto))

/**
 * Digests, message codes and random bytes by `node:crypto`, which serves Node and Deno. WebCrypto would do the same through
 * another thread: every delivery is signed and every request hashes its key, and neither has time for that.
 */
export const layerCrypto: Layer.Layer<Digest.Digest | Mac.Mac | SecureRandom.SecureRandom | Signature.Signature> =
  Layer.mergeAll(layerDigest, layerMac, layerSecureRandom, NodeCrypto.layerSignature)
