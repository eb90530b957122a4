/** A revocation of more keys than one transaction revokes. */
import { ApiKeyStore, Keys } from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { REVOKED_AT_ONCE } from "../src/use-cases/api-keys/revokeWithDescendants.ts"
import { actor, founded, keyActs, ports, services, storedKey } from "./support.ts"

/** The domain over a store that revokes descendants so many times until it is repaired. */
const failing = (calls: { left: number }) =>
  services.pipe(
    Layer.provideMerge(
      Layer.effect(
        ApiKeyStore,
        ApiKeyStore.use((store) =>
          Effect.succeed({
            ...store,
            revokeDescendants: (...given: Parameters<typeof store.revokeDescendants>) =>
              calls.left-- > 0 ? store.revokeDescendants(...given) : Effect.die("the walk took too long")
          })
        )
      )
    ),
    Layer.provideMerge(ports),
    Layer.fresh
  )

describe("a key that is revoked with hundreds of descendants", () => {
  it.effect("stays revoked, and so do the batches before, when the rest fails; calling again finishes", () => {
    const calls = { left: 0 }
    return Effect.gen(function* () {
      const [keys, store] = [yield* Keys, yield* ApiKeyStore]
      const { whole } = yield* founded
      const { key } = yield* storedKey(whole)
      const createdBy = { ...actor, id: key.id }
      const count = REVOKED_AT_ONCE + 20
      const made = yield* Effect.forEach(Array.from({ length: count }), () => storedKey(whole, { createdBy }))
      const revoke = keys.revokeWithDescendants({ owner: whole, id: key.id, actor })
      const revoked = Effect.gen(function* () {
        const all = yield* Effect.forEach([key, ...made.map((one) => one.key)], ({ id }) => store.find(whole, id))
        return all.filter((one) => one?.revokedAt != null).length
      })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(revoke)))
      assert.strictEqual(yield* revoked, 1)
      calls.left = 1
      assert.isTrue(Exit.isFailure(yield* Effect.exit(revoke)))
      assert.strictEqual(yield* revoked, 1 + REVOKED_AT_ONCE)
      calls.left = Infinity
      const done = yield* revoke
      assert.deepStrictEqual([done.key.id, done.descendants], [key.id, count])
      assert.strictEqual(yield* revoked, 1 + count)
      // Each is reported once.
      assert.strictEqual((yield* keyActs(whole)).filter(({ action }) => action === "api_key.revoked").length, 1 + count)
    }).pipe(Effect.provide(failing(calls)))
  })
})
