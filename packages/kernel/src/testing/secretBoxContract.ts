import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer, Redacted } from "effect"
import { SecretBox } from "../ports/SecretBox.ts"

/**
 * Holds a secret box to its port. `changeKey` makes the box seal under a new key from then on, while it still opens what
 * it sealed before. The port itself has no such act.
 */
export const secretBoxContract = <R, E>(
  adapter: string,
  adapterLayer: Layer.Layer<SecretBox | R, E>,
  changeKey: Effect.Effect<void, never, R>
) =>
  describe(`secret box over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      it.effect("opens what it sealed for a place", () =>
        Effect.gen(function* () {
          const box = yield* SecretBox
          const sealed = yield* box.seal("endpoint/1/secret", Redacted.make("whsec_é💡"))
          assert.strictEqual(Redacted.value(yield* box.open("endpoint/1/secret", sealed)), "whsec_é💡")
        })
      )

      it.effect("does not show the secret in what it sealed", () =>
        Effect.gen(function* () {
          const box = yield* SecretBox
          const sealed = yield* box.seal("endpoint/1/secret", Redacted.make("plain-text-secret"))
          assert.notInclude(sealed, "plain-text-secret")
          assert.notInclude(sealed, btoa("plain-text-secret"))
        })
      )

      it.effect("seals the same secret differently each time", () =>
        Effect.gen(function* () {
          const box = yield* SecretBox
          const one = yield* box.seal("endpoint/1/secret", Redacted.make("same"))
          const two = yield* box.seal("endpoint/1/secret", Redacted.make("same"))
          assert.notStrictEqual(one, two)
        })
      )

      it.effect("refuses a sealed value that was moved to another place", () =>
        Effect.gen(function* () {
          const box = yield* SecretBox
          const sealed = yield* box.seal("endpoint/1/secret", Redacted.make("mine"))
          const refused = yield* Effect.flip(box.open("endpoint/2/secret", sealed))
          assert.strictEqual(refused._tag, "SecretUnreadable")
        })
      )

      it.effect("refuses a sealed value that was altered", () =>
        Effect.gen(function* () {
          const box = yield* SecretBox
          const sealed = yield* box.seal("endpoint/1/secret", Redacted.make("mine"))
          const altered = sealed.slice(0, -3) + (sealed.endsWith("AAA") ? "BBB" : "AAA")
          assert.strictEqual((yield* Effect.flip(box.open("endpoint/1/secret", altered)))._tag, "SecretUnreadable")
          assert.strictEqual((yield* Effect.flip(box.open("endpoint/1/secret", "")))._tag, "SecretUnreadable")
        })
      )

      it.effect("leaves alone what is sealed under the current key", () =>
        Effect.gen(function* () {
          const box = yield* SecretBox
          const sealed = yield* box.seal("endpoint/1/secret", Redacted.make("mine"))
          assert.isUndefined(yield* box.reseal("endpoint/1/secret", sealed))
        })
      )

      it.effect("seals again, once, what is sealed under an earlier key", () =>
        Effect.gen(function* () {
          const box = yield* SecretBox
          const sealed = yield* box.seal("endpoint/1/secret", Redacted.make("whsec_é💡"))
          yield* changeKey
          assert.strictEqual(Redacted.value(yield* box.open("endpoint/1/secret", sealed)), "whsec_é💡")
          const resealed = yield* box.reseal("endpoint/1/secret", sealed)
          assert.isDefined(resealed)
          assert.notStrictEqual(resealed, sealed)
          assert.strictEqual(Redacted.value(yield* box.open("endpoint/1/secret", resealed!)), "whsec_é💡")
          assert.isUndefined(yield* box.reseal("endpoint/1/secret", resealed!))
        })
      )

      it.effect("does not seal again what was moved or altered", () =>
        Effect.gen(function* () {
          const box = yield* SecretBox
          const sealed = yield* box.seal("endpoint/1/secret", Redacted.make("mine"))
          for (const step of [Effect.void, changeKey]) {
            yield* step
            const moved = yield* Effect.flip(box.reseal("endpoint/2/secret", sealed))
            assert.strictEqual(moved._tag, "SecretUnreadable")
            const altered = sealed.slice(0, -3) + (sealed.endsWith("AAA") ? "BBB" : "AAA")
            assert.strictEqual((yield* Effect.flip(box.reseal("endpoint/1/secret", altered)))._tag, "SecretUnreadable")
          }
        })
      )
    })
  })
