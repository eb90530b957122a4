import { hash } from "node:crypto"
import { Hmac } from "@agent-platform/kernel"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer } from "effect"
import { Digest, Mac, SecureRandom, type Signature } from "effect/crypto"
import { codeUnder, HASHES, hmac } from "./hmac.ts"
import { layerSecureRandom } from "./layerSecureRandom.ts"

/** In one step: `createHash` makes an object for each digest, which the garbage collector has to be told of. */
const layerDigest = Layer.succeed(Digest.Digest, {
  digest: ({ name }, data) => Effect.sync(() => new Uint8Array(hash(HASHES[name].name, data, "buffer"))),
  digestHex: ({ name }, data) => Effect.sync(() => hash(HASHES[name].name, data, "hex"))
})

const layerMac = Mac.layerWebCryptoWith({ hmac }).pipe(Layer.provide(SecureRandom.layerWebCrypto))

/** Message codes at once. */
export const layerHmac: Layer.Layer<Hmac> = Layer.succeed(Hmac, { sha256: (key) => codeUnder("SHA-256", key) })

/**
 * Digests, message codes and random bytes by `node:crypto`, which serves Node and Deno. WebCrypto would do the same through
 * another thread: every delivery is signed and every request hashes its key, and neither has time for that.
 */
export const layerCrypto: Layer.Layer<
  Digest.Digest | Hmac | Mac.Mac | SecureRandom.SecureRandom | Signature.Signature
> = Layer.mergeAll(layerDigest, layerHmac, layerMac, layerSecureRandom, NodeCrypto.layerSignature)
