import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Layer } from "effect"
import type { Digest, SecureRandom, Signature } from "effect/crypto"
import { layerSecureRandom } from "./layerSecureRandom.ts"

/**
 * Digests, signatures and random bytes by `node:crypto`, which serves Node and Deno. WebCrypto does the same through another
 * thread, which takes too long for a request that hashes its key.
 */
export const layerCrypto: Layer.Layer<Digest.Digest | SecureRandom.SecureRandom | Signature.Signature> = Layer.mergeAll(
  NodeCrypto.layerDigest,
  layerSecureRandom,
  NodeCrypto.layerSignature
)
