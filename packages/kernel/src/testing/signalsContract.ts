import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { Signals } from "../ports/Signals.ts"
import { atomic, UnitOfWork } from "../ports/UnitOfWork.ts"

/** Holds an adapter of `Signals` to its port. */
export const signalsContract = <E>(adapter: string, adapterLayer: Layer.Layer<UnitOfWork | Signals, E>) =>
  describe(`signals over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const aTopic = () => `topic.${SecureRandom.uuidV4Unsafe()}`
      const raise = (topic: string) => atomic(Signals.use((signals) => signals.raise(topic)))

      it.effect("wakes every listener of the topic", () =>
        Effect.gen(function* () {
          const signals = yield* Signals
          const topic = aTopic()
          const [one, two] = [yield* signals.listen(topic), yield* signals.listen(topic)]
          yield* raise(topic)
          const woken = yield* Effect.timeoutOption(Effect.all([one(60), two(60)]), "10 seconds")
          assert.strictEqual(woken._tag, "Some")
        })
      )

      it.effect("remembers a signal that came between two waits", () =>
        Effect.gen(function* () {
          const signals = yield* Signals
          const topic = aTopic()
          const heard = yield* signals.listen(topic)
          const other = yield* signals.listen(topic)
          yield* raise(topic)
          yield* other(60)
          assert.strictEqual((yield* Effect.timeoutOption(heard(60), "10 seconds"))._tag, "Some")
        })
      )

      it.effect("does not wake listeners of another topic, or for a transaction that failed", () =>
        Effect.gen(function* () {
          const signals = yield* Signals
          const unit = yield* UnitOfWork
          const [topic, other] = [aTopic(), aTopic()]
          const next = yield* signals.listen(topic)
          const fence = yield* signals.listen(other)
          yield* Effect.exit(unit.atomic(Effect.andThen(signals.raise(topic), Effect.fail("refused"))))
          yield* raise(other)
          // The other topic was raised later: once it has arrived, the earlier signal would have, too.
          yield* fence(60)
          assert.strictEqual((yield* Effect.timeoutOption(next(3600), "50 millis"))._tag, "None")
        })
      )

      it.effect("gives up waiting when the time is over", () =>
        Effect.gen(function* () {
          const signals = yield* Signals
          const next = yield* signals.listen(aTopic())
          assert.strictEqual((yield* Effect.timeoutOption(next(0.01), "10 seconds"))._tag, "Some")
        })
      )
    })
  })
