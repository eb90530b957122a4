import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer, type Scope } from "effect"
import type { SecureRandom } from "effect/crypto"
import { EventId, freshId } from "../Ids.ts"
import { EVENTS_ADDED, Outbox, type TakenEvent } from "../ports/Outbox.ts"
import { Signals } from "../ports/Signals.ts"
import { atomic, type UnitOfWork } from "../ports/UnitOfWork.ts"

/** A lease that is over at once: the outbox's clock cannot be set, so cases choose a lease by it instead of waiting. */
const LAPSED = 0

/** Holds an outbox to its port. It begins empty, and nobody else takes from it. */
export const outboxContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<UnitOfWork | Outbox | Signals | SecureRandom.SecureRandom, E>
) =>
  describe(`outbox over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const fresh = (count: number) => Effect.forEach(Array.from({ length: count }), () => freshId(EventId))
      const add = (...ids: ReadonlyArray<EventId>) => Outbox.use((outbox) => outbox.add(...ids))
      const take = (max: number, leaseSeconds?: number) => Outbox.use((outbox) => outbox.take(max, leaseSeconds))
      const complete = (events: ReadonlyArray<TakenEvent>) => Outbox.use((outbox) => outbox.complete(events))
      const release = (events: ReadonlyArray<TakenEvent>) => Outbox.use((outbox) => outbox.release(events))
      const idsOf = (events: ReadonlyArray<TakenEvent>) => events.map(({ id }) => id)

      /** Asserts that `act` wakes a listener. */
      const wakes = Effect.fnUntraced(function* <A, E2, R>(act: Effect.Effect<A, E2, R>) {
        const next = yield* Signals.use((signals) => signals.listen(EVENTS_ADDED))
        yield* act
        assert.strictEqual((yield* Effect.timeoutOption(next(60), "10 seconds"))._tag, "Some")
      })

      /** A case after which the outbox is emptied for the next one. */
      const emptied = <A, E2>(
        name: string,
        effect: Effect.Effect<A, E2, UnitOfWork | Outbox | Signals | SecureRandom.SecureRandom | Scope.Scope>
      ) =>
        it.effect(name, () =>
          Effect.gen(function* () {
            yield* effect
            for (let rest = yield* take(1_000); rest.length > 0; rest = yield* take(1_000))
              yield* atomic(complete(rest))
            assert.isUndefined(yield* Outbox.use(({ oldest }) => oldest), "a case left events behind that it held")
          })
        )

      emptied(
        "hands out events once the transaction that added them has committed, in the order of their ids",
        Effect.gen(function* () {
          const ids = yield* fresh(3)
          yield* atomic(
            Effect.gen(function* () {
              yield* add(...[...ids].reverse())
              yield* add()
            })
          )
          const taken = yield* take(10)
          assert.deepStrictEqual(
            taken.map(({ attempt, id }) => [id, attempt]),
            [...ids].sort().map((id) => [id, 1])
          )
          yield* release(taken)
          assert.deepStrictEqual(idsOf(yield* Effect.tap(take(2), release)), [...ids].sort().slice(0, 2))
        })
      )

      emptied(
        "never hands out an event whose transaction failed",
        Effect.gen(function* () {
          yield* Effect.exit(atomic(Effect.andThen(add(...(yield* fresh(2))), Effect.fail("refused"))))
          assert.isEmpty(yield* take(10))
        })
      )

      emptied(
        "hands an event to one of many who take at once",
        Effect.gen(function* () {
          yield* atomic(add(...(yield* fresh(60))))
          const taking = Array.from({ length: 8 }, () => take(7))
          const taken = (yield* Effect.all(taking, { concurrency: "unbounded" })).flat()
          taken.push(...(yield* take(60)))
          assert.strictEqual(new Set(idsOf(taken)).size, 60)
          assert.strictEqual(taken.length, 60)
          yield* release(taken)
        })
      )

      emptied(
        "does not hand out a completed event again",
        Effect.gen(function* () {
          yield* atomic(add(...(yield* fresh(2))))
          const taken = yield* take(10)
          assert.deepStrictEqual([...(yield* atomic(complete(taken)))].sort(), idsOf(taken))
          assert.isEmpty(yield* take(10))
          assert.strictEqual((yield* atomic(complete(taken))).size, 0)
        })
      )

      emptied(
        "keeps an event held when the transaction that completes it fails",
        Effect.gen(function* () {
          yield* atomic(add(...(yield* fresh(1))))
          const taken = yield* take(1)
          yield* Effect.exit(atomic(Effect.andThen(complete(taken), Effect.fail("refused"))))
          assert.isEmpty(yield* take(1))
          yield* release(taken)
          const retaken = yield* take(1)
          assert.deepStrictEqual(idsOf(retaken), idsOf(taken))
          assert.strictEqual((yield* atomic(complete(retaken))).size, 1)
        })
      )

      emptied(
        "hands out a released event again, as another attempt, and wakes who waits for it",
        Effect.gen(function* () {
          yield* atomic(add(...(yield* fresh(1))))
          const first = yield* take(1)
          yield* wakes(release(first))
          const second = yield* take(1)
          assert.deepStrictEqual(idsOf(second), idsOf(first))
          assert.strictEqual(second[0]?.attempt, 2)
          yield* release(second)
        })
      )

      emptied(
        "lets nobody complete or release an event that was retaken",
        Effect.gen(function* () {
          yield* atomic(add(...(yield* fresh(1))))
          const stale = yield* take(1)
          yield* release(stale)
          const retaken = yield* take(1)
          assert.strictEqual((yield* atomic(complete(stale))).size, 0)
          yield* release(stale)
          assert.isEmpty(yield* take(1))
          assert.strictEqual((yield* atomic(complete(retaken))).size, 1)
        })
      )

      emptied(
        "hands an event out again when its lease is over, and lets its late taker neither complete nor release it",
        Effect.gen(function* () {
          yield* atomic(add(...(yield* fresh(2))))
          const late = yield* take(2, LAPSED)
          const retaken = yield* take(2)
          assert.deepStrictEqual(
            retaken.map(({ attempt, id }) => [id, attempt]),
            idsOf(late).map((id) => [id, 2])
          )
          assert.strictEqual((yield* atomic(complete(late))).size, 0)
          yield* release(late)
          assert.isEmpty(yield* take(2))
          assert.strictEqual((yield* atomic(complete(retaken))).size, 2)
        })
      )

      emptied(
        "lets a late taker complete and release what nobody has retaken",
        Effect.gen(function* () {
          yield* atomic(add(...(yield* fresh(2))))
          const [one, other] = yield* take(2, LAPSED)
          assert.deepStrictEqual(yield* atomic(complete([one!])), new Set([one!.id]))
          yield* release([other!])
          assert.deepStrictEqual(idsOf(yield* Effect.tap(take(2), release)), [other!.id])
        })
      )

      emptied(
        "judges each event by its own token, when some of them were retaken",
        Effect.gen(function* () {
          yield* atomic(add(...(yield* fresh(4))))
          const first = yield* take(4, LAPSED)
          const second = yield* take(2)
          const both = [...first, ...second]
          assert.deepStrictEqual(yield* atomic(complete(first)), new Set(idsOf(first.slice(2))))
          assert.deepStrictEqual(yield* atomic(complete(both)), new Set(idsOf(second)))
        })
      )

      emptied(
        "hands each of many lapsed events to one of many who take at once",
        Effect.gen(function* () {
          yield* atomic(add(...(yield* fresh(40))))
          yield* take(40, LAPSED)
          const taking = Array.from({ length: 8 }, () => take(7))
          const taken = (yield* Effect.all(taking, { concurrency: "unbounded" })).flat()
          taken.push(...(yield* take(40)))
          assert.strictEqual(new Set(idsOf(taken)).size, 40)
          assert.strictEqual(taken.length, 40)
          yield* release(taken)
        })
      )

      emptied(
        "knows the first of its events by their ids, held or not, until it is completed",
        Effect.gen(function* () {
          const { oldest } = yield* Outbox
          assert.isUndefined(yield* oldest)
          const [first, second] = [...(yield* fresh(2))].sort()
          yield* atomic(add(second!))
          assert.strictEqual(yield* oldest, second)
          yield* atomic(add(first!))
          assert.strictEqual(yield* oldest, first)
          const taken = yield* take(1)
          assert.strictEqual(yield* oldest, first)
          yield* atomic(complete(taken))
          assert.strictEqual(yield* oldest, second)
        })
      )

      emptied(
        "wakes a listener after the commit",
        Effect.gen(function* () {
          yield* wakes(atomic(add(...(yield* fresh(1)))))
        })
      )
    })
  })
