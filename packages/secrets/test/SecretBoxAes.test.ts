import { SecretBox } from "@agent-platform/kernel"
import { secretBoxContract } from "@agent-platform/kernel/testing"
import { type EncryptionKey, SecretBoxAes } from "@agent-platform/secrets"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"

const aKey = (id: string): EncryptionKey => ({
  id,
  key: Redacted.make(btoa(String.fromCharCode(...SecureRandom.randomBytesUnsafe(32))))
})
const boxOf = (...[current, ...previous]: [EncryptionKey, ...ReadonlyArray<EncryptionKey>]) =>
  SecretBoxAes.layer({ current, previous }).pipe(Layer.provide(SecureRandom.layerWebCrypto))
const layerOf = (...keys: [EncryptionKey, ...ReadonlyArray<EncryptionKey>]) => Layer.orDie(boxOf(...keys))

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

const seal = (place: string, secret: string) => SecretBox.use((box) => box.seal(place, Redacted.make(secret)))
const reseal = (place: string, sealed: string) => SecretBox.use((box) => box.reseal(place, sealed))
const open = (place: string, sealed: string) => SecretBox.use((box) => box.open(place, sealed))

/** Changes the key of a box, as an operator does by a new process. */
class KeyChange extends Context.Service<KeyChange, { readonly change: Effect.Effect<void> }>()("KeyChange") {}

const layerChanging = Layer.unwrap(
  Effect.gen(function* () {
    let keys: [EncryptionKey, ...ReadonlyArray<EncryptionKey>] = [aKey("k1")]
    const boxNow = Effect.suspend(() => Effect.provide(SecretBox, layerOf(...keys)))
    let box = yield* boxNow
    return Layer.merge(
      Layer.succeed(SecretBox, {
        seal: (place, secret) => box.seal(place, secret),
        open: (place, sealed) => box.open(place, sealed),
        reseal: (place, sealed) => box.reseal(place, sealed)
      }),
      Layer.succeed(KeyChange, {
        change: Effect.gen(function* () {
          keys = [aKey(`k${keys.length + 1}`), ...keys]
          box = yield* boxNow
        })
      })
    )
  })
)

secretBoxContract(
  "AES-256-GCM",
  layerChanging,
  KeyChange.use(({ change }) => change)
)

describe("a secret box over several keys", () => {
  const [old, current] = [aKey("2026-01"), aKey("2026-11")]

  it.effect("still opens what an earlier key sealed", () =>
    Effect.gen(function* () {
      const sealed = yield* seal("place", "kept").pipe(Effect.provide(layerOf(old)))
      const opened = yield* open("place", sealed).pipe(Effect.provide(layerOf(current, old)))
      assert.strictEqual(Redacted.value(opened), "kept")
    })
  )

  it.effect("seals with the current key and says which one that was", () =>
    Effect.gen(function* () {
      const sealed = yield* seal("place", "new")
      assert.match(sealed, /^v1\.2026-11\.[\w-]+\.[\w-]+$/)
    }).pipe(Effect.provide(layerOf(current, old)))
  )

  it.effect("seals again under the current key what then opens without the earlier one", () =>
    Effect.gen(function* () {
      const sealed = yield* seal("place", "kept").pipe(Effect.provide(layerOf(old)))
      const resealed = yield* reseal("place", sealed).pipe(Effect.provide(layerOf(current, old)))
      assert.match(resealed ?? "", /^v1\.2026-11\./)
      const opened = yield* open("place", resealed ?? "").pipe(Effect.provide(layerOf(current)))
      assert.strictEqual(Redacted.value(opened), "kept")
    })
  )

  it.effect("distinguishes a key that it does not have from a value that was altered", () =>
    Effect.gen(function* () {
      const sealed = yield* seal("place", "lost").pipe(Effect.provide(layerOf(old)))
      const refused = yield* Effect.flip(open("place", sealed).pipe(Effect.provide(layerOf(current))))
      assert.strictEqual(refused.reason, "unknown_key")
    })
  )

  it.effect("does not open with another key of the same id", () =>
    Effect.gen(function* () {
      const sealed = yield* seal("place", "mine").pipe(Effect.provide(layerOf(aKey("same"))))
      const refused = yield* Effect.flip(open("place", sealed).pipe(Effect.provide(layerOf(aKey("same")))))
      assert.strictEqual(refused.reason, "altered")
    })
  )

  it.effect("refuses every single altered character", () =>
    Effect.gen(function* () {
      // Three lengths, for base64 ends in three ways, two of them with bits that mean nothing.
      for (const secret of ["", "1", "12"]) {
        const sealed = yield* seal("place", secret)
        for (let index = 0; index < sealed.length; index++) {
          for (const other of index === sealed.length - 1 ? ALPHABET : ["A", "B", "_", "."]) {
            const changed = sealed.slice(0, index) + other + sealed.slice(index + 1)
            if (changed === sealed) continue
            assert.strictEqual((yield* Effect.exit(open("place", changed)))._tag, "Failure", `${changed} for ${sealed}`)
          }
        }
      }
    }).pipe(Effect.provide(layerOf(current)))
  )

  it.effect("does not open a secret with the data key of another", () =>
    Effect.gen(function* () {
      const one = (yield* seal("place", "one")).split(".")
      const two = (yield* seal("place", "two")).split(".")
      const mixed = [...one.slice(0, 3), ...two.slice(3)].join(".")
      assert.strictEqual((yield* Effect.flip(open("place", mixed))).reason, "altered")
    }).pipe(Effect.provide(layerOf(current)))
  )

  it.effect("refuses a key that is not 32 bytes long", () =>
    Effect.gen(function* () {
      const short = { id: "short", key: Redacted.make(btoa("too short")) }
      const refused = yield* Effect.flip(Effect.void.pipe(Effect.provide(boxOf(short))))
      assert.include(refused.message, "SECRETS_KEY has a key (short) that has 9 bytes instead of 32")
    })
  )
})
