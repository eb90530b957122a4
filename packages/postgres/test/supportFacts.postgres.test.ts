/** Facts for a support bundle that no other test holds to their values. */
import { layerClient } from "@agent-platform/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { openTransactions } from "../src/support/serverFacts.ts"
import { freshDatabase } from "./support/database.ts"

describe("the facts of a support bundle", () => {
  it.live("name an open transaction's statement by its first word, whatever white space stands before that", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const reader = layerClient({ url, maxConnections: 1, applicationName: "agent-platform-admin" })
      const worker = layerClient({ url, maxConnections: 1, applicationName: "agent-platform-worker" })
      const statementOf = (text: string) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql.unsafe(text)
          const rows = yield* Effect.provide(openTransactions, reader)
          // Other tests have transactions on this server, too.
          const mine = rows.find((row) => row["program"] === "agent-platform-worker" && row["is_in_this_database"])
          return mine?.["statement"]
        })
      const found = yield* SqlClient.SqlClient.use((sql) =>
        Effect.forEach(
          ["select 1", "\n      set local lock_timeout = '1s'", "with one as (select 1) select from one"],
          (text) => sql.withTransaction(statementOf(text))
        )
      ).pipe(Effect.provide(worker))
      assert.deepStrictEqual(found, ["select", "set", "with"])
    })
  )
})
