/**
 * Fingerprints show whether two values are equal, and nothing else of them: without the deployment's key no guesses can be
 * tried against them. docs/security.md, Fingerprints.
 */
import { type HmacKey, hmacKey, hmacSha256, makeBind } from "@agent-platform/toolkit"
import { Context, Effect, Layer, Option, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { FingerprintKeyStore } from "./ports/FingerprintKeyStore.ts"
import type { SealedValues } from "./ports/SealedValues.ts"
import { SecretBox } from "./ports/SecretBox.ts"
import { Transaction, UnitOfWork } from "./ports/UnitOfWork.ts"

/** The place that the key is sealed for. */
const PLACE = "fingerprint_key"

const KEY_BYTES = 32

/** The key, made by the first process that needs it: of many that do so at once, one makes it. */
const loadKey = Effect.fnUntraced(function* () {
  const store = yield* FingerprintKeyStore
  const box = yield* SecretBox
  const unit = yield* UnitOfWork
  let sealed = yield* store.find
  if (sealed === undefined) {
    const bytes = yield* SecureRandom.SecureRandom.use((random) => random.randomBytes(KEY_BYTES))
    const fresh = yield* box.seal(PLACE, Redacted.make(Base64.encode(bytes)))
    yield* unit.atomic(store.insert(fresh))
    sealed = (yield* store.find) ?? fresh
  }
  const encoded = yield* box.open(PLACE, sealed)
  return hmacKey(Result.getOrThrow(Base64.decode(Redacted.value(encoded))))
}, Effect.orDie)

const make = Effect.gen(function* () {
  const bind = yield* makeBind(FingerprintKeyStore, SecretBox, UnitOfWork, SecureRandom.SecureRandom)
  const load = bind(loadKey)
  let loaded: HmacKey | undefined
  return {
    /**
     * The HMAC-SHA256 of `data` in hex, under a key that every process of the deployment has. The same data under another
     * `purpose` has another fingerprint. Dies inside a transaction, with which the first key could be undone.
     */
    of: Effect.fnUntraced(function* (purpose: string, data: Uint8Array) {
      if (Option.isSome(yield* Effect.serviceOption(Transaction))) {
        return yield* Effect.die(new Error("A fingerprint was made inside a transaction"))
      }
      loaded ??= yield* load()
      return hmacSha256(loaded, "hex", `agent-platform/fingerprint/v1/${purpose}\n`, data)
    })
  }
})

/** Makes fingerprints under one key, which is loaded once a process. */
export class Fingerprints extends Context.Service<Fingerprints, Effect.Success<typeof make>>()(
  "@agent-platform/kernel/Fingerprints"
) {
  static readonly layer = Layer.effect(Fingerprints, make)
}

/** The key of fingerprints, for when the key that seals it changes: it is sealed again and stays the same. */
export const sealedFingerprintKey: Effect.Effect<SealedValues, never, FingerprintKeyStore> = Effect.map(
  FingerprintKeyStore,
  (store) => ({
    name: "fingerprint keys",
    page: (after) =>
      after === undefined
        ? Effect.map(store.find, (sealed) => (sealed === undefined ? [] : [{ position: PLACE, place: PLACE, sealed }]))
        : Effect.succeed([]),
    replace: ({ sealed }, resealed) => store.replace(sealed, resealed)
  })
)
