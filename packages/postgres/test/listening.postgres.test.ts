/** Statements beside LISTEN, whose connection nobody else may wait for. */
import { layerClient } from "@agent-platform/postgres"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { freshDatabase } from "./support/database.ts"

/** More than fit on one connection that is shared. */
const STATEMENTS = 80

describe("a statement", () => {
  for (const maxConnections of [2, 3, 4, 10]) {
    it.live(`asked while a new client of ${maxConnections} connections begins to listen is answered`, () =>
      Effect.gen(function* () {
        const url = yield* freshDatabase
        const answered = Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          const asked = Effect.forEach(
            Array.from({ length: STATEMENTS }, (_, number) => number),
            (number) => sql<{ number: number }>`select ${number}::int4 as number`,
            { concurrency: "unbounded" }
          )
          const all = Effect.all([asked, sql.listen("a_channel"), asked], { concurrency: "unbounded" })
          return yield* Effect.timeoutOption(Effect.scoped(all), "20 seconds")
        })
        const found = yield* Effect.provide(answered, layerClient({ url, maxConnections }))
        assert.deepStrictEqual(found._tag === "Some" ? [found.value[0].length, found.value[2].length] : "no answer", [
          STATEMENTS,
          STATEMENTS
        ])
      })
    )
  }
})
