import { type SealedValues, SecretBox, UnitOfWork } from "@agent-platform/kernel"
import { layer, MemoryDatabase, MemorySecretBox } from "@agent-platform/kernel/memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { countSealed, RESEAL_PAGE, type ResealCounts, resealAll } from "../src/resealAll.ts"

const memory = Layer.fresh(layer)

interface Row {
  readonly position: string
  readonly sealed: string | null
}

const place = (position: string) => `note/${position}`
const positionOf = (index: number) => String(index).padStart(6, "0")

/** A store of secrets, as far as it is walked; and what a test does to it. */
const aStore = Effect.gen(function* () {
  const database = yield* MemoryDatabase
  const unit = yield* UnitOfWork
  const box = yield* SecretBox
  const table = database.table<Row>("note")
  const values: SealedValues = {
    name: "notes",
    page: (after, limit) =>
      Effect.map(table.all, (rows) =>
        rows
          .flatMap(({ position, sealed }) => (sealed === null ? [] : [{ position, sealed, place: place(position) }]))
          .filter(({ position }) => after === undefined || position > after)
          .sort((a, b) => (a.position < b.position ? -1 : 1))
          .slice(0, limit)
      ),
    replace: Effect.fnUntraced(function* ({ position, sealed }, resealed) {
      const row = yield* table.get(position)
      if (row?.sealed !== sealed) return false
      yield* table.put(position, { position, sealed: resealed })
      return true
    })
  }
  const put = (position: string, sealed: string | null) => unit.atomic(table.put(position, { position, sealed }))
  const keep = (index: number, secret = `secret ${index}`) =>
    Effect.flatMap(box.seal(place(positionOf(index)), Redacted.make(secret)), (sealed) =>
      put(positionOf(index), sealed)
    )
  const read = (index: number) =>
    Effect.gen(function* () {
      const row = yield* table.get(positionOf(index))
      return row?.sealed == null ? null : Redacted.value(yield* box.open(place(row.position), row.sealed))
    })
  return { values, put, keep, read, all: table.all }
})

const changeKey = MemorySecretBox.use((box) => box.changeKey)

describe("sealing everything again", () => {
  it.effect("reaches every value across pages, and the second time finds nothing left to do", () =>
    Effect.gen(function* () {
      const store = yield* aStore
      const count = 2 * RESEAL_PAGE + 3
      for (let index = 0; index < count; index++) yield* store.keep(index)
      yield* changeKey
      const reported: Array<ResealCounts> = []
      const counts = yield* resealAll(store.values, { onPage: (so) => Effect.sync(() => void reported.push(so)) })
      assert.deepStrictEqual(counts, { resealed: count, current: 0, superseded: 0, unreadable: 0 })
      assert.deepStrictEqual(
        reported.map(({ resealed }) => resealed),
        [RESEAL_PAGE, 2 * RESEAL_PAGE, count]
      )
      assert.deepStrictEqual(yield* resealAll(store.values), {
        resealed: 0,
        current: count,
        superseded: 0,
        unreadable: 0
      })
      for (let index = 0; index < count; index++) assert.strictEqual(yield* store.read(index), `secret ${index}`)
    }).pipe(Effect.provide(memory))
  )

  it.effect("goes on where it was interrupted", () =>
    Effect.gen(function* () {
      const store = yield* aStore
      for (let index = 0; index < RESEAL_PAGE + 5; index++) yield* store.keep(index)
      yield* changeKey
      yield* Effect.exit(resealAll(store.values, { onPage: () => Effect.interrupt }))
      const counts = yield* resealAll(store.values)
      assert.deepStrictEqual(counts, { resealed: 5, current: RESEAL_PAGE, superseded: 0, unreadable: 0 })
    }).pipe(Effect.provide(memory))
  )

  it.effect("is told beforehand how many values there are, over several pages, stores and behind one of them", () =>
    Effect.gen(function* () {
      const many = yield* aStore
      for (let index = 0; index < 1_005; index++) yield* many.keep(index)
      assert.strictEqual(yield* countSealed([many.values]), 1_005)
      assert.strictEqual(yield* countSealed([many.values], positionOf(999)), 5)
      assert.strictEqual(yield* countSealed([many.values, many.values], positionOf(999)), 1_010)
    }).pipe(Effect.provide(memory))
  )

  it.effect("only counts when that is all it is asked for", () =>
    Effect.gen(function* () {
      const store = yield* aStore
      yield* store.keep(1)
      yield* changeKey
      const before = yield* store.all
      assert.deepStrictEqual(yield* resealAll(store.values, { dryRun: true }), {
        resealed: 1,
        current: 0,
        superseded: 0,
        unreadable: 0
      })
      assert.deepStrictEqual(yield* store.all, before)
    }).pipe(Effect.provide(memory))
  )

  it.effect("leaves what does not open as it is, counts it and goes on", () =>
    Effect.gen(function* () {
      const store = yield* aStore
      yield* store.keep(1)
      yield* store.put(positionOf(2), "nonsense")
      yield* store.keep(3)
      yield* changeKey
      assert.deepStrictEqual(yield* resealAll(store.values), { resealed: 2, current: 0, superseded: 0, unreadable: 1 })
      assert.deepInclude(yield* store.all, { position: positionOf(2), sealed: "nonsense" })
    }).pipe(Effect.provide(memory))
  )

  it.effect("never undoes a change or an erasure that came between its reading and its writing", () =>
    Effect.gen(function* () {
      const store = yield* aStore
      for (const index of [1, 2, 3]) yield* store.keep(index)
      yield* changeKey
      const meanwhile = Effect.andThen(store.put(positionOf(1), null), store.keep(2, "another"))
      const values: SealedValues = {
        ...store.values,
        page: (after, limit) =>
          Effect.tap(store.values.page(after, limit), () => (after === undefined ? meanwhile : Effect.void))
      }
      assert.deepStrictEqual(yield* resealAll(values), { resealed: 1, current: 0, superseded: 2, unreadable: 0 })
      assert.isNull(yield* store.read(1))
      assert.strictEqual(yield* store.read(2), "another")
      assert.strictEqual(yield* store.read(3), "secret 3")
    }).pipe(Effect.provide(memory))
  )

  it.effect("is done once over by two who walk at once", () =>
    Effect.gen(function* () {
      const store = yield* aStore
      for (let index = 0; index < 150; index++) yield* store.keep(index)
      yield* changeKey
      const [one, two] = yield* Effect.all([resealAll(store.values), resealAll(store.values)], { concurrency: 2 })
      assert.strictEqual(one.resealed + two.resealed, 150)
      assert.strictEqual((yield* resealAll(store.values)).current, 150)
      for (let index = 0; index < 150; index++) assert.strictEqual(yield* store.read(index), `secret ${index}`)
    }).pipe(Effect.provide(memory))
  )
})
