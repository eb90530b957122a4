/** When the last use of keys is written. */
import { type ApiKey, ApiKeyStore, Keys, type KeyUsed, USE_APART_SECONDS } from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { GATHER_SECONDS } from "../src/makeGathering.ts"
import { ask, create, founded, ports, services } from "./support.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.250Z")

class Written extends Context.Service<Written, Array<ReadonlyArray<KeyUsed>>>()("Written") {}

/** A store that answers its writes, or dies of them. */
const layerStore = (away: boolean) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const written: Array<ReadonlyArray<KeyUsed>> = []
      return Context.make(Written, written).pipe(
        Context.add(ApiKeyStore, {
          ...store,
          noteUses: (uses) =>
            Effect.suspend(() => {
              written.push(uses)
              return away ? Effect.die(new Error("The database is away")) : store.noteUses(uses)
            })
        })
      )
    })
  ).pipe(Layer.provideMerge(ports))

const lastUseOf = (key: ApiKey) =>
  ApiKeyStore.use((store) => Effect.map(store.find(key, key.id), (found) => found?.lastUsedAt))

const gathered = TestClock.adjust(`${GATHER_SECONDS} seconds`)

const layerWritten = (away = false) => services.pipe(Layer.provideMerge(layerStore(away)), Layer.fresh)

describe("the use of a key", () => {
  it.effect("is written beside the requests, many uses of many keys in one statement", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const written = yield* Written
      const { inside } = yield* founded
      const [one, two] = [yield* create(inside), yield* create(inside)]
      for (let count = 0; count < 10; count++) {
        yield* ask(one.value)
        yield* ask(two.value)
      }
      assert.isEmpty(written)
      assert.isNull(yield* lastUseOf(one.key))
      yield* gathered
      assert.strictEqual(written.length, 1)
      assert.sameMembers(
        written[0]!.map((use) => use.id),
        [one.key.id, two.key.id]
      )
      assert.deepStrictEqual(yield* lastUseOf(one.key), NOW)
      yield* gathered
      assert.strictEqual(written.length, 1)
    }).pipe(Effect.provide(layerWritten()))
  )

  it.effect("is written once a minute, by the time stored on the key itself", () =>
    Effect.gen(function* () {
      const written = yield* Written
      const { inside } = yield* founded
      const { value } = yield* create(inside)
      for (let seconds = 0; seconds < USE_APART_SECONDS * 3; seconds += GATHER_SECONDS) {
        yield* ask(value)
        yield* gathered
      }
      assert.strictEqual(written.length, 3)
    }).pipe(Effect.provide(layerWritten()))
  )

  it.effect("is not written for a key that is refused", () =>
    Effect.gen(function* () {
      const written = yield* Written
      const { inside } = yield* founded
      const { value } = yield* create(inside, { allowedIps: ["203.0.113.7/32"] })
      yield* Effect.flip(ask(value, "203.0.113.8"))
      yield* gathered
      assert.isEmpty(written)
    }).pipe(Effect.provide(layerWritten()))
  )

  it.effect("is dropped in silence where the database is away, and the next one is written", () =>
    Effect.gen(function* () {
      const written = yield* Written
      const { inside } = yield* founded
      const { value } = yield* create(inside)
      yield* ask(value)
      yield* gathered
      yield* gathered
      assert.strictEqual(written.length, 1)
      yield* ask(value)
      yield* gathered
      assert.strictEqual(written.length, 2)
    }).pipe(Effect.provide(layerWritten(true)))
  )

  it.effect("is written when the layer closes", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const key = yield* Effect.gen(function* () {
        const { inside } = yield* founded
        const { key, value } = yield* create(inside)
        yield* ask(value)
        return key
      }).pipe(Effect.provide(services))
      assert.deepStrictEqual(yield* lastUseOf(key), NOW)
    }).pipe(Effect.provide(Layer.fresh(ports)))
  )

  it.effect("asks nothing of a layer that was not used", () =>
    Effect.gen(function* () {
      yield* Effect.provide(
        Keys.use(() => Effect.void),
        services
      )
      assert.isEmpty(yield* Written)
    }).pipe(Effect.provide(Layer.fresh(layerStore(false))))
  )
})
