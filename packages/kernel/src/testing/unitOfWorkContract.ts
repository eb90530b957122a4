import { assert, describe, layer as suite } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Layer } from "effect"
import { EventLog } from "../ports/EventLog.ts"
import { atomic, type UnitOfWork } from "../ports/UnitOfWork.ts"
import { anEvent } from "./builders.ts"

/** Holds a unit of work to its port, seen through an event log that writes in it. */
export const unitOfWorkContract = <E>(adapter: string, adapterLayer: Layer.Layer<UnitOfWork | EventLog, E>) =>
  describe(`unit of work over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const remains = (event: ReturnType<typeof anEvent>) =>
        EventLog.use((log) => Effect.map(log.find([event.id]), (found) => found.length === 1))
      const append = (event: ReturnType<typeof anEvent>) => EventLog.use((log) => log.append(event))
      it.effect("keeps every write of an effect that succeeds", () =>
        Effect.gen(function* () {
          const [one, two] = [anEvent(), anEvent()]
          yield* atomic(Effect.andThen(append(one), append(two)))
          assert.isTrue(yield* remains(one))
          assert.isTrue(yield* remains(two))
        })
      )

      it.effect("keeps nothing of an effect that fails", () =>
        Effect.gen(function* () {
          const event = anEvent()
          const exit = yield* Effect.exit(atomic(Effect.andThen(append(event), Effect.fail("refused"))))
          assert.deepStrictEqual(exit, Exit.fail("refused"))
          assert.isFalse(yield* remains(event))
        })
      )

      it.effect("keeps nothing of an effect that dies", () =>
        Effect.gen(function* () {
          const event = anEvent()
          yield* Effect.exit(atomic(Effect.andThen(append(event), Effect.die("defect"))))
          assert.isFalse(yield* remains(event))
        })
      )

      it.effect("keeps nothing of an effect that is interrupted", () =>
        Effect.gen(function* () {
          const event = anEvent()
          const written = yield* Deferred.make<void>()
          const fiber = yield* Effect.forkChild(
            atomic(
              append(event).pipe(Effect.andThen(Deferred.succeed(written, undefined)), Effect.andThen(Effect.never))
            )
          )
          yield* Deferred.await(written)
          yield* Fiber.interrupt(fiber)
          assert.isFalse(yield* remains(event))
        })
      )

      it.effect("undoes only the inner writes when the outer effect catches an inner failure", () =>
        Effect.gen(function* () {
          const [outer, inner, after] = [anEvent(), anEvent(), anEvent()]
          yield* atomic(
            Effect.gen(function* () {
              yield* append(outer)
              yield* Effect.exit(atomic(Effect.andThen(append(inner), Effect.fail("inner"))))
              yield* append(after)
            })
          )
          assert.isTrue(yield* remains(outer))
          assert.isFalse(yield* remains(inner))
          assert.isTrue(yield* remains(after))
        })
      )

      it.effect("undoes inner writes that succeeded when the outer effect fails", () =>
        Effect.gen(function* () {
          const event = anEvent()
          yield* Effect.exit(atomic(Effect.andThen(atomic(append(event)), Effect.fail("outer"))))
          assert.isFalse(yield* remains(event))
        })
      )

      it.effect("shows a transaction its own writes and nobody else before it commits", () =>
        Effect.gen(function* () {
          const event = anEvent()
          const written = yield* Deferred.make<void>()
          const seen = yield* Deferred.make<void>()
          const fiber = yield* Effect.forkChild(
            atomic(
              Effect.gen(function* () {
                yield* append(event)
                assert.isTrue(yield* remains(event))
                yield* Deferred.succeed(written, undefined)
                yield* Deferred.await(seen)
              })
            )
          )
          yield* Deferred.await(written)
          assert.isFalse(yield* remains(event))
          yield* Deferred.succeed(seen, undefined)
          yield* Fiber.join(fiber)
          assert.isTrue(yield* remains(event))
        })
      )

      it.effect("keeps every write of an effect that waits between them", () =>
        Effect.gen(function* () {
          const [one, two, three] = [anEvent(), anEvent(), anEvent()]
          yield* atomic(
            Effect.gen(function* () {
              yield* append(one)
              yield* Effect.yieldNow
              yield* append(two)
              yield* Effect.promise(() => Promise.resolve())
              yield* append(three)
            })
          )
          for (const event of [one, two, three]) assert.isTrue(yield* remains(event))
        })
      )

      it.effect(
        "keeps nothing of an effect that waits between its writes and then fails, and all that others write meanwhile",
        () =>
          Effect.gen(function* () {
            const [before, after, other] = [anEvent(), anEvent(), anEvent()]
            const waiting = yield* Deferred.make<void>()
            const mayGoOn = yield* Deferred.make<void>()
            const failing = yield* Effect.forkChild(
              atomic(
                Effect.gen(function* () {
                  yield* append(before)
                  yield* Deferred.succeed(waiting, undefined)
                  yield* Deferred.await(mayGoOn)
                  yield* append(after)
                  return yield* Effect.fail("late")
                })
              )
            )
            yield* Deferred.await(waiting)
            // A storage that runs transactions one after another has this one wait for the first.
            const writing = yield* Effect.forkChild(atomic(append(other)), { startImmediately: true })
            yield* Deferred.succeed(mayGoOn, undefined)
            assert.deepStrictEqual(yield* Fiber.await(failing), Exit.fail("late"))
            yield* Fiber.join(writing)
            assert.isFalse(yield* remains(before))
            assert.isFalse(yield* remains(after))
            assert.isTrue(yield* remains(other))
          })
      )

      it.effect("runs twenty transactions at once without mixing their writes", () =>
        Effect.gen(function* () {
          const pairs = Array.from({ length: 20 }, (_, index) => ({ index, one: anEvent(), two: anEvent() }))
          yield* Effect.forEach(
            pairs,
            ({ index, one, two }) =>
              Effect.exit(
                atomic(
                  append(one).pipe(
                    Effect.andThen(Effect.yieldNow),
                    Effect.andThen(append(two)),
                    Effect.andThen(index % 2 ? Effect.fail("odd") : Effect.void)
                  )
                )
              ),
            { concurrency: "unbounded" }
          )
          for (const { index, one, two } of pairs) {
            assert.strictEqual(yield* remains(one), index % 2 === 0)
            assert.strictEqual(yield* remains(two), index % 2 === 0)
          }
        })
      )
    })
  })
