import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Layer } from "effect"
import { type Digest, Mac, SecureRandom, type Signature } from "effect/crypto"
import { hmac } from "./hmac.ts"
import { layerSecureRandom } from "./layerSecureRandom.ts"

const layerMac = Mac.layerWebCryptoWith({ hmac }).pipe(Layer.provide(SecureRandom.layerWebCrypto))

/**
 * Digests, message codes and random bytes by `node:crypto`, which serves Node and Deno. WebCrypto would do the same through
 * another thread: every delivery is signed and every request hashes its key, and neither has time for that.
 */
export const layerCrypto: Layer.Layer<Digest.Digest | Mac.Mac | SecureRandom.SecureRandom | Signature.Signature> =
  Layer.mergeAll(NodeCrypto.layerDigest, layerMac, layerSecureRandom, NodeCrypto.layerSignature)
