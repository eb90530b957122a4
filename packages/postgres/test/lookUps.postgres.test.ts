/** Look-ups of many requests in one statement. */
import { layerClient } from "@agent-platform/postgres"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { texts } from "../src/columns.ts"
import { makeLookUp, type Placed } from "../src/makeLookUp.ts"
import { freshDatabase } from "./support/database.ts"

const layer = Layer.unwrap(
  Effect.map(Effect.orDie(freshDatabase), (url) => Layer.orDie(layerClient({ url, maxConnections: 4 })))
)

interface Word {
  readonly word: string
}

/** Looks up words, all but "absent", and notes what each statement was asked. `toFound` dies of "unreadable". */
const words = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const asked: Array<ReadonlyArray<string>> = []
  const find = yield* makeLookUp(sql, {
    idOf: (word: string) => word,
    read: (keys) => {
      asked.push(keys)
      if (keys.includes("thrown")) throw new Error("thrown")
      return sql<Word & Placed>`
        select asked.word, asked.place from unnest(${texts(keys)}) with ordinality as asked (word, place)
        where asked.word <> 'absent'
      `
    },
    toFound: ({ word }): string => {
      if (word === "unreadable") throw new Error("unreadable")
      return `found ${word}`
    }
  })
  return { asked, find, sql }
})

/** Several at the same moment, as requests are: none is a child of another. */
const atOnce = <A>(effects: ReadonlyArray<Effect.Effect<A>>) =>
  Effect.flatMap(
    Effect.forEach(effects, (one) => Effect.forkDetach(one, { startImmediately: true })),
    (fibers) => Effect.forEach(fibers, Fiber.await)
  )

describe("look-ups", () => {
  suite(layer, { excludeTestServices: true })((it) => {
    it.effect("of one turn go in one statement, and each gets its own or nothing", () =>
      Effect.gen(function* () {
        const { asked, find } = yield* words
        const exits = yield* atOnce(["a", "b", "absent", "a"].map(find))
        assert.deepStrictEqual(exits, ["found a", "found b", undefined, "found a"].map(Exit.succeed))
        assert.deepStrictEqual(asked, [["a", "b", "absent"]])
      })
    )

    it.effect("of a later turn go in one of their own, which sees what was committed meanwhile", () =>
      Effect.gen(function* () {
        const { asked, find } = yield* words
        yield* find("a")
        yield* find("a")
        assert.deepStrictEqual(asked, [["a"], ["a"]])
      })
    )

    it.effect("inside a transaction go alone, over its connection", () =>
      Effect.gen(function* () {
        const { sql } = yield* words
        const find = yield* makeLookUp(sql, {
          idOf: String,
          read: () => sql<Placed & { readonly pid: number }>`select pg_backend_pid() as pid, 1::bigint as place`,
          toFound: ({ pid }) => pid
        })
        yield* sql.withTransaction(
          Effect.gen(function* () {
            const [row] = yield* sql<{ readonly pid: number }>`select pg_backend_pid() as pid`
            assert.strictEqual(yield* find(1), row?.pid)
          })
        )
      })
    )

    it.effect("harm nobody else with a row that cannot be read", () =>
      Effect.gen(function* () {
        const { find } = yield* words
        const [good, bad] = yield* atOnce(["a", "unreadable"].map(find))
        assert.deepStrictEqual(good, Exit.succeed("found a"))
        assert.isTrue(bad !== undefined && Exit.hasDies(bad))
      })
    )

    it.effect("end for everybody when the statement cannot be sent", () =>
      Effect.gen(function* () {
        const { find } = yield* words
        const exits = yield* atOnce(["a", "thrown"].map(find))
        assert.isTrue(exits.every(Exit.hasDies))
        assert.strictEqual(yield* find("a"), "found a")
      })
    )

    it.effect("go on for callers who still wait, and are given up when none does", () =>
      Effect.gen(function* () {
        const { sql } = yield* words
        const [begun, answer, givenUp] = yield* Effect.all([
          Deferred.make<void>(),
          Deferred.make<ReadonlyArray<Placed>>(),
          Deferred.make<void>()
        ])
        const find = yield* makeLookUp(sql, {
          idOf: String,
          read: () =>
            Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(answer)).pipe(
              Effect.onInterrupt(() => Deferred.succeed(givenUp, undefined))
            ),
          toFound: () => "found"
        })
        const [first, second] = yield* Effect.all([
          Effect.forkDetach(find(1), { startImmediately: true }),
          Effect.forkDetach(find(2), { startImmediately: true })
        ])
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(first)
        assert.isFalse(yield* Deferred.isDone(givenUp))
        yield* Fiber.interrupt(second)
        yield* Deferred.await(givenUp)
      })
    )

    it.effect("that nobody waits for any more before they are sent are not sent", () =>
      Effect.gen(function* () {
        const { asked, find } = yield* words
        const hasty = yield* Effect.forkDetach(find("hasty"), { startImmediately: true })
        yield* Fiber.interrupt(hasty)
        assert.strictEqual(yield* find("a"), "found a")
        assert.deepStrictEqual(asked, [["a"]])
      })
    )
  })
})
