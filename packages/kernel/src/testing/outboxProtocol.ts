/** Holds an outbox against a model of it, over any sequence of steps of its takers, late and dying ones among them. */
import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { EventId, freshId } from "../Ids.ts"
import { OUTBOX_LEASE_SECONDS, Outbox, type TakenEvent } from "../ports/Outbox.ts"
import { UnitOfWork } from "../ports/UnitOfWork.ts"

/** A lease that is over at once. */
const LAPSED = 0

/** An index into the takes so far, taken modulo their number. */
const TakeIndex = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 }))

const Command = Schema.Union([
  Schema.TaggedStruct("Add", { rolledBack: Schema.Boolean }),
  // A taker that dies or freezes is one whose lease ends: it may come back later, with the events that it had.
  Schema.TaggedStruct("Take", { max: Schema.Literals([1, 2, 10]), lapsing: Schema.Boolean }),
  Schema.TaggedStruct("Complete", { take: TakeIndex, rolledBack: Schema.Boolean }),
  Schema.TaggedStruct("Release", { take: TakeIndex })
])
type Command = typeof Command.Type

/** An event that should be in the outbox. */
interface Expected {
  attempt: number
  token: string | undefined
  isFree: boolean
}

const run = (commands: ReadonlyArray<Command>) =>
  Effect.gen(function* () {
    const [outbox, unit] = [yield* Outbox, yield* UnitOfWork]
    const model = new Map<EventId, Expected>()
    // Every take there ever was: a taker whose lease is over goes on as if it still held.
    const takes: Array<ReadonlyArray<TakenEvent>> = []
    const tokens = new Set<string>()
    const chosen = (index: number) => (takes.length === 0 ? [] : (takes[index % takes.length] ?? []))
    const heldOf = (taken: ReadonlyArray<TakenEvent>) => taken.filter(({ id, token }) => model.get(id)?.token === token)
    const rollback = { rolledBack: true }
    const inTransaction = <A, E, R>(effect: Effect.Effect<A, E, R>, rolledBack: boolean) =>
      Effect.exit(unit.atomic(rolledBack ? Effect.andThen(effect, Effect.fail(rollback)) : effect))

    const step = Effect.fnUntraced(function* (command: Command) {
      switch (command._tag) {
        case "Add": {
          const id = yield* freshId(EventId)
          yield* inTransaction(outbox.add(id), command.rolledBack)
          if (!command.rolledBack) model.set(id, { attempt: 0, token: undefined, isFree: true })
          return
        }
        case "Take": {
          const free = [...model].filter(([, { isFree }]) => isFree).map(([id]) => id)
          const taken = yield* outbox.take(command.max, command.lapsing ? LAPSED : OUTBOX_LEASE_SECONDS)
          assert.deepStrictEqual(
            taken.map(({ id }) => id),
            free.sort().slice(0, command.max)
          )
          const fresh = new Set(taken.map(({ token }) => token))
          for (const token of fresh) assert.isFalse(tokens.has(token), "a token is that of one take")
          for (const { attempt, id, token } of taken) {
            tokens.add(token)
            const expected = model.get(id)
            assert.strictEqual(attempt, (expected?.attempt ?? 0) + 1)
            model.set(id, { attempt, token, isFree: command.lapsing })
          }
          takes.push(taken)
          return
        }
        case "Complete": {
          const taken = chosen(command.take)
          const held = heldOf(taken).map(({ id }) => id)
          let completed: ReadonlySet<EventId> = new Set()
          yield* inTransaction(
            Effect.map(outbox.complete(taken), (ids) => {
              completed = ids
            }),
            command.rolledBack
          )
          assert.deepStrictEqual([...completed].sort(), held.sort())
          if (!command.rolledBack) for (const id of held) model.delete(id)
          return
        }
        case "Release": {
          const taken = chosen(command.take)
          yield* outbox.release(taken)
          for (const { attempt, id } of heldOf(taken)) model.set(id, { attempt, token: undefined, isFree: true })
        }
      }
    })

    for (const command of commands) {
      yield* step(command)
      assert.strictEqual(yield* outbox.oldest, [...model.keys()].sort()[0])
    }
    // Every event that is left is free sooner or later, and leaves only once.
    const left = takes.flatMap(heldOf)
    yield* outbox.release(left)
    const rest = yield* outbox.take(1_000)
    assert.deepStrictEqual(
      rest.map(({ id }) => id),
      [...model.keys()].sort()
    )
    assert.strictEqual((yield* unit.atomic(outbox.complete(rest))).size, model.size)
    assert.isUndefined(yield* outbox.oldest)
  })

/** Holds an outbox to its port over any order of steps. It begins empty, and nobody else takes from it. */
export const outboxProtocolContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<UnitOfWork | Outbox | SecureRandom.SecureRandom, E>,
  seed?: number
) =>
  describe(`outbox protocol over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      it.effect.prop(
        "is that of the model",
        { commands: Schema.Array(Command).check(Schema.isMinLength(10), Schema.isMaxLength(25)) },
        ({ commands }) => run(commands),
        { arbitrary: { runs: 40, seed }, timeout: 60_000 }
      )
    })
  })
