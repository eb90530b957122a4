/** Loading tables the fast way: what watches over every row is taken off, and put back as it was. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { texts } from "../../../packages/postgres/src/columns.ts"

interface Attachment {
  readonly kind: "key" | "index" | "reference"
  readonly owner: string
  readonly name: string
  readonly definition: string
}

/**
 * Keys, other indexes and references of these tables, and what refers to them, in the order in which they can be made. The statement reads
 * constraints first, and then the indexes that no constraint has made.
 */
const attachmentsOf = Effect.fnUntraced(function* (tables: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const meant = sql`array(select name::regclass from unnest(${texts(tables)}) as name)`
  return yield* sql<Attachment>`
    select found.kind, format('%I.%I', nspname, relname) as owner, found.name, found.definition
    from (
      select case contype when 'f' then 'reference' else 'key' end as kind, conrelid as owner,
        quote_ident(conname) as name, pg_get_constraintdef(pg_constraint.oid) as definition
      from pg_constraint
      where (conrelid = any(${meant}) and contype in ('p', 'u', 'f')) or (confrelid = any(${meant}) and contype = 'f')
      union all
      select 'index', indrelid, indexrelid::regclass::text, pg_get_indexdef(indexrelid)
      from pg_index
      where indrelid = any(${meant})
        and not exists (select from pg_constraint where conindid = indexrelid and conrelid = indrelid)
    ) as found
    join pg_class on pg_class.oid = found.owner join pg_namespace on pg_namespace.oid = relnamespace
    order by owner, name
  `.pipe(
    // A reference needs the key that it refers to.
    Effect.map((all) =>
      (["key", "index", "reference"] as const).flatMap((kind) => all.filter((one) => one.kind === kind))
    )
  )
})

const attach = ({ definition, kind, name, owner }: Attachment): string =>
  kind === "index" ? definition : `alter table ${owner} add constraint ${name} ${definition}`

const detach = ({ kind, name, owner }: Attachment): string =>
  kind === "index" ? `drop index ${name}` : `alter table ${owner} drop constraint ${name}`

/**
 * Loads tables that are empty, all at once, each by its statements and without indexes and references. Makes these again from the
 * definitions that the database had of them, which checks every row, and fails on any difference.
 */
export const loadWithoutIndexes = Effect.fnUntraced(function* (
  tables: Readonly<Record<string, ReadonlyArray<string>>>
) {
  const sql = yield* SqlClient.SqlClient
  const before = yield* attachmentsOf(Object.keys(tables))
  for (const one of before.toReversed()) yield* sql.unsafe(detach(one))
  yield* Effect.forEach(
    Object.entries(tables),
    ([table, loads]) =>
      Effect.gen(function* () {
        // Emptied in the same transaction, it is loaded past the write-ahead log of a server whose wal_level is minimal.
        yield* sql.unsafe(`truncate ${table}`)
        yield* sql.unsafe("set local maintenance_work_mem = '512MB'")
        for (const load of loads) yield* sql.unsafe(load)
        for (const one of before) {
          if (one.owner === table && one.kind !== "reference") yield* sql.unsafe(attach(one))
        }
      }).pipe(sql.withTransaction),
    { concurrency: "unbounded", discard: true }
  )
  for (const one of before) if (one.kind === "reference") yield* sql.unsafe(attach(one))
  const after = yield* attachmentsOf(Object.keys(tables))
  if (JSON.stringify(after) !== JSON.stringify(before))
    return yield* Effect.die("An index or a reference was not put back")
})
