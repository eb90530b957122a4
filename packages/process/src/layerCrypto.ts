import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Layer } from "effect"
import type { Digest, Mac, SecureRandom, Signature } from "effect/crypto"

/**
 * Digests, message codes and random bytes by `node:crypto`, which serves Node and Deno. WebCrypto would do the same through
 * another thread: signing a delivery costs 2 µs here and 11 to 23 there, and every request hashes its key.
 */
export const layerCrypto: Layer.Layer<Digest.Digest | Mac.Mac | SecureRandom.SecureRandom | Signature.Signature> =
  Layer.mergeAll(NodeCrypto.layerDigest, NodeCrypto.layerMac, NodeCrypto.layerSecureRandom, NodeCrypto.layerSignature)
