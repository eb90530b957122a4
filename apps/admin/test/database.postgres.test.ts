/** Commands over a database that was restored from a dump on another server. */
import { JobHistory } from "@agent-platform/kernel"
import { assert, layer as suite } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { admin, layer, printed } from "./operating.ts"

suite(layer, { excludeTestServices: true })("a restored database", (it) => {
  it.effect("has its marks renewed once, remembered among the jobs, and is only reported by a dry run", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const current = yield* admin("database", "restored", "--dry-run")
      assert.deepStrictEqual(current.out, "All marks are of this server: nothing is to be renewed\n")
      yield* sql`
        update roll_up_state set
          calls_place = '900000000000/ffffffff-ffff-ffff-ffff-ffffffffffff/ffffffff-ffff-ffff-ffff-ffffffffffff'
      `
      const place = Effect.map(
        sql<{ readonly calls_place: string }>`select calls_place from roll_up_state`,
        ([row]) => row?.calls_place.split("/")[0]
      )
      assert.isTrue((yield* printed("database", "restored", "--dry-run", "--json")).needed)
      assert.strictEqual(yield* place, "900000000000")
      const { marked, needed } = yield* printed("database", "restored", "--json")
      assert.isTrue(needed)
      assert.deepStrictEqual(
        marked.map(({ kind }: { readonly kind: string }) => kind),
        ["model calls", "corrections", "runs", "entries of activity"]
      )
      assert.strictEqual(yield* place, "1")
      assert.isFalse((yield* printed("database", "restored", "--json")).needed)
      const { items } = yield* JobHistory.use((history) =>
        history.list("database.restored", { limit: 50, before: undefined })
      )
      assert.deepStrictEqual(
        items.map(({ status, trigger }) => [status, trigger]),
        [
          ["succeeded", "operator"],
          ["succeeded", "operator"]
        ]
      )
    })
  )
})
