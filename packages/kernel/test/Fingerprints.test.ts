import {
  atomic,
  FingerprintKeyStore,
  Fingerprints,
  SecretBox,
  sealedFingerprintKey,
  UnitOfWork
} from "@agent-platform/kernel"
import { layer as kernel, MemorySecretBox } from "@agent-platform/kernel/memory"
import { fingerprintKeyStoreContract } from "@agent-platform/kernel/testing"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Redacted } from "effect"
import { Digest } from "effect/crypto"
import { faultsOf } from "./faultsOf.ts"

const memory = Layer.fresh(kernel)

const bytes = (text: string) => new TextEncoder().encode(text)

/** Fingerprints as another process over the same store has them. */
const elsewhere = Effect.map(Layer.build(Layer.fresh(Fingerprints.layer)), (services) =>
  Context.get(services, Fingerprints)
)

describe("a fingerprint", () => {
  it.effect("is the same for the same data in every process, and another for other data and another purpose", () =>
    Effect.gen(function* () {
      const processes = yield* Effect.all([elsewhere, elsewhere, elsewhere])
      const ofSame = yield* Effect.forEach(processes, (process) => process.of("request", bytes("{}")), {
        concurrency: "unbounded"
      })
      assert.strictEqual(new Set(ofSame).size, 1)
      const others = [
        yield* processes[0]!.of("request", bytes("[]")),
        yield* processes[0]!.of("provider_key", bytes("{}"))
      ]
      assert.strictEqual(new Set([...ofSame, ...others]).size, 3)
    }).pipe(Effect.scoped, Effect.provide(memory))
  )

  it.effect("is no digest that others can make, and another in another deployment", () =>
    Effect.gen(function* () {
      const of = Fingerprints.use((fingerprints) => fingerprints.of("request", bytes("guess")))
      const deployments = yield* Effect.all([Effect.provide(of, memory), Effect.provide(of, Layer.fresh(kernel))])
      const digest = yield* Digest.Digest.use((digests) => digests.digestHex(Digest.sha256, bytes("guess")))
      assert.strictEqual(new Set([...deployments, digest]).size, 3)
      for (const fingerprint of deployments) assert.match(fingerprint, /^[0-9a-f]{64}$/)
    }).pipe(Effect.provide(Digest.layerWebCrypto))
  )

  it.effect("stays as it is when the key that seals changes", () =>
    Effect.gen(function* () {
      const store = yield* FingerprintKeyStore
      const before = yield* (yield* elsewhere).of("request", bytes("{}"))
      const sealed = yield* store.find
      yield* MemorySecretBox.use((box) => box.changeKey)
      const values = yield* sealedFingerprintKey
      const box = yield* SecretBox
      const [value] = yield* values.page(undefined, 1)
      assert.strictEqual(value?.sealed, sealed)
      if (value === undefined) return
      assert.deepStrictEqual(yield* values.page(value.position, 1), [])
      const resealed = (yield* box.reseal(value.place, value.sealed)) ?? value.sealed
      assert.isTrue(yield* atomic(values.replace(value, resealed)))
      assert.notStrictEqual(yield* store.find, sealed)
      assert.isUndefined(yield* box.reseal(value.place, resealed))
      assert.strictEqual(yield* (yield* elsewhere).of("request", bytes("{}")), before)
    }).pipe(Effect.scoped, Effect.provide(memory))
  )

  it.effect("is not made inside a transaction, whose failure would undo the first key", () =>
    Effect.gen(function* () {
      const unit = yield* UnitOfWork
      const fingerprints = yield* Fingerprints
      assert.isTrue(Exit.hasDies(yield* Effect.exit(unit.atomic(fingerprints.of("request", bytes("{}"))))))
      yield* fingerprints.of("request", bytes("{}"))
      assert.isTrue(Exit.hasDies(yield* Effect.exit(unit.atomic(fingerprints.of("request", bytes("{}"))))))
    }).pipe(Effect.provide(memory))
  )

  it.effect("is made once the store is back that could not be read", () =>
    Effect.gen(function* () {
      const store = yield* FingerprintKeyStore
      let isAway = true
      const find = Effect.suspend(() => (isAway ? Effect.die(new Error("away")) : store.find))
      const services = yield* Layer.build(Layer.fresh(Fingerprints.layer)).pipe(
        Effect.provideService(FingerprintKeyStore, { ...store, find })
      )
      const of = Context.get(services, Fingerprints).of("request", bytes("{}"))
      assert.isTrue(Exit.hasDies(yield* Effect.exit(of)))
      isAway = false
      assert.strictEqual(yield* of, yield* (yield* elsewhere).of("request", bytes("{}")))
    }).pipe(Effect.scoped, Effect.provide(memory))
  )

  it.effect("is refused where the key does not open, and the key is left as it is", () =>
    Effect.gen(function* () {
      const store = yield* FingerprintKeyStore
      const box = yield* SecretBox
      const foreign = yield* box.seal("elsewhere", Redacted.make("a key of something else"))
      yield* atomic(store.insert(foreign))
      const of = Fingerprints.use((fingerprints) => fingerprints.of("request", bytes("{}")))
      assert.isTrue(Exit.hasDies(yield* Effect.exit(of)))
      assert.strictEqual(yield* store.find, foreign)
    }).pipe(Effect.provide(memory))
  )
})

faultsOf(FingerprintKeyStore, kernel, (name, layer) => fingerprintKeyStoreContract(name, Layer.fresh(layer)))(
  "a store that keeps the last key of many",
  (_store, database) => ({ insert: (sealed) => database.table("fingerprint_key").put("key", sealed) }),
  ["keeps one key of many that are inserted at once, and no other after it"]
)
