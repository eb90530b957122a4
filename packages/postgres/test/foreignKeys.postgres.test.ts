/** Deleting or changing a row looks for those that refer to it, which without an index is a walk through a whole table. */
import { assert, layer as suite } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { asOwner, databaseLayer } from "./support/database.ts"

/**
 * The foreign keys without an index that begins with the id of the row that is referred to, be it one that leaves out rows which
 * refer to nothing. Tenants are left out: one is deleted once in its life, when its rows are gone.
 */
const withoutIndex = (sql: SqlClient.SqlClient) => sql<{ readonly reference: string }>`
  select conrelid::regclass || ' ' || pg_get_constraintdef(pg_constraint.oid) as reference
  from pg_constraint
  join pg_attribute as id on id.attrelid = conrelid and id.attnum = conkey[cardinality(conkey)]
  where contype = 'f' and conparentid = 0 and connamespace = current_schema()::regnamespace
    and confrelid not in ('organization'::regclass, 'workspace'::regclass)
    and not exists (
      select from pg_index
      where indrelid = conrelid and indisvalid
        and (indpred is null or pg_get_expr(indpred, indrelid) = '(' || id.attname || ' IS NOT NULL)')
        and (
          indkey[0] = id.attnum
          or (indkey::int2[])[0:cardinality(conkey) - 1] @> conkey
        )
    )
  order by reference
`

suite(databaseLayer)("a foreign key", (it) => {
  it.effect("has an index that finds the rows which refer to another", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(
        (yield* withoutIndex(sql)).map(({ reference }) => reference),
        []
      )
    })
  )

  it.effect("is found where it has none", () =>
    asOwner((sql) =>
      Effect.gen(function* () {
        yield* sql`create table referring (workspace_id uuid, agent_id uuid)`
        yield* sql`alter table referring add foreign key (workspace_id, agent_id) references agent (workspace_id, id)`
        assert.strictEqual((yield* withoutIndex(sql)).length, 1)
        yield* sql`create index on referring (workspace_id) where agent_id is not null`
        assert.strictEqual((yield* withoutIndex(sql)).length, 1)
        yield* sql`create index on referring (agent_id) where workspace_id is not null`
        assert.strictEqual((yield* withoutIndex(sql)).length, 1)
        yield* sql`create index on referring (agent_id) where agent_id is not null`
        assert.strictEqual((yield* withoutIndex(sql)).length, 0)
        yield* sql`drop table referring`
      })
    )
  )
})
