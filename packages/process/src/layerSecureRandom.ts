import { randomBytes, randomFillSync } from "node:crypto"
import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"

/** How many bytes are drawn at once. */
const POOL_BYTES = 4_096

/** More bytes than this are drawn for one caller alone. */
const FROM_POOL_MAX = 64

/**
 * Random bytes by `node:crypto`. Those for an id are taken out of many that were drawn at once: a call takes 5 to 7 µs however
 * few it asks for, and a request that triggers a run needs five ids. Bytes that are handed out are wiped from the pool.
 */
export const layerSecureRandom: Layer.Layer<SecureRandom.SecureRandom> = Layer.sync(SecureRandom.SecureRandom, () => {
  const pool = new Uint8Array(POOL_BYTES)
  let used = POOL_BYTES
  return SecureRandom.make((size) => {
    if (size > FROM_POOL_MAX) return randomBytes(size)
    if (used + size > POOL_BYTES) {
      randomFillSync(pool)
      used = 0
    }
    const bytes = pool.slice(used, used + size)
    pool.fill(0, used, used + size)
    used += size
    return bytes
  })
})
