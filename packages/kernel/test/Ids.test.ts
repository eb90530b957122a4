import { EventId, firstIdAt, freshId, timeOfId, Uuid } from "@agent-platform/kernel"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"

describe("the ids of a moment", () => {
  it.effect(
    "tell when they were made, and the first of them is above every id that was made before, and above none that was made then",
    () =>
      Effect.gen(function* () {
        const random = yield* SecureRandom.SecureRandom
        for (const time of ["1970-01-01T00:00:00.001Z", "2026-10-31T18:30:00.000Z", "9999-12-31T23:59:59.999Z"]) {
          const at = DateTime.makeUnsafe(time)
          const first = firstIdAt(at)
          assert.isTrue(Schema.is(Uuid)(first))
          const idAt = (millis: number) =>
            Effect.andThen(
              TestClock.setTime(at.epochMilliseconds + millis),
              Effect.provideService(freshId(EventId), SecureRandom.SecureRandom, random)
            )
          assert.isTrue((yield* idAt(-1)) < first)
          assert.isTrue((yield* idAt(0)) >= first)
          assert.deepStrictEqual(timeOfId(yield* idAt(0)), at)
        }
      }).pipe(Effect.provide(SecureRandom.layerWebCrypto))
  )
})
