/** The tables as the database has them: whose rows they hold, and by what keys. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** A table, partitions left out. */
export interface SurveyedTable {
  readonly name: string
  /** Which of `organization_id` and `workspace_id` every row has. */
  readonly tenant: ReadonlyArray<string>
  /** Whether a row may have a tenant and need not. */
  readonly mayHaveTenant: boolean
  /** Every unique index as its columns or expressions, the primary key first. */
  readonly keys: ReadonlyArray<string>
  /** Its foreign keys, each with the column pairs of both tables. */
  readonly references: ReadonlyArray<{ readonly to: string; readonly pairs: ReadonlyArray<string> }>
  readonly triggers: ReadonlyArray<string>
  readonly isPartitioned: boolean
  readonly isUnlogged: boolean
}

/** Every table of the schema, by name. */
export const surveyTables: Effect.Effect<ReadonlyArray<SurveyedTable>, never, SqlClient.SqlClient> = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<SurveyedTable>`
    select relname as name, relkind = 'p' as "isPartitioned", relpersistence = 'u' as "isUnlogged",
      columns.tenant, columns.optional as "mayHaveTenant",
      array(
        select (
          select string_agg(pg_get_indexdef(indexrelid, place, true), ', ' order by place)
          from generate_series(1, indnkeyatts) as place
        )
        from pg_index where indrelid = pg_class.oid and indisunique order by not indisprimary, indexrelid
      ) as keys,
      array(
        select tgname::text from pg_trigger where tgrelid = pg_class.oid and not tgisinternal order by tgname
      ) as triggers,
      coalesce(
        (
          select jsonb_agg(jsonb_build_object('to', confrelid::regclass::text, 'pairs', (
            select jsonb_agg(own.attname || ' = ' || other.attname order by place)
            from unnest(conkey, confkey) with ordinality as pair (own, other, place)
            join pg_attribute as own on own.attrelid = conrelid and own.attnum = pair.own
            join pg_attribute as other on other.attrelid = confrelid and other.attnum = pair.other
          )) order by pg_constraint.oid)
          from pg_constraint where conrelid = pg_class.oid and contype = 'f' and conparentid = 0
        ), '[]'
      ) as "references"
    from pg_class
    cross join lateral (
      select coalesce(array_agg(attname::text order by attname) filter (where attnotnull), '{}') as tenant,
        count(*) > 0 and bool_and(not attnotnull) as optional
      from pg_attribute where attrelid = pg_class.oid and attname in ('organization_id', 'workspace_id')
    ) as columns
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname
  `
).pipe(Effect.orDie)
