/** How large tables and their indexes are, a part of each. */
import type { Deployment } from "../capacity/deployment.ts"

/** A table without its indexes, or one of them. Partitions count as their table. */
export interface Part {
  readonly table: string
  readonly index: string | undefined
  readonly bytes: number
}

/** The end of a partition's name: its month, or `default`. In the name of a partition's index it stands in the middle. */
const MONTH = "_(default|[0-9]{4}_[0-9]{2})"

const SIZES = `
  select regexp_replace(tables.relname, '${MONTH}$', '') as table, null as index,
    sum(pg_table_size(tables.oid))::text as bytes
  from pg_class as tables where tables.relkind = 'r' and tables.relnamespace = 'agent_platform'::regnamespace group by 1
  union all
  select regexp_replace(tables.relname, '${MONTH}$', ''), regexp_replace(indexes.relname, '${MONTH}(_|$)', '\\2'),
    sum(pg_relation_size(indexes.oid))::text
  from pg_index join pg_class as indexes on indexes.oid = indexrelid join pg_class as tables on tables.oid = indrelid
  where indexes.relkind = 'i' and tables.relnamespace = 'agent_platform'::regnamespace group by 1, 2
`

/** The sizes of everything in the schema, at this moment. */
export const sizesOf = async (query: Deployment["query"]): Promise<ReadonlyArray<Part>> =>
  (await query<{ readonly table: string; readonly index: string | null; readonly bytes: string }>(SIZES)).map(
    ({ bytes, index, table }) => ({ table, index: index ?? undefined, bytes: Number(bytes) })
  )

const nameOf = ({ index, table }: Part) => `${table} ${index ?? ""}`

/** By how much each part has grown, those that grew most first. */
export const differencesOf = (before: ReadonlyArray<Part>, after: ReadonlyArray<Part>): ReadonlyArray<Part> => {
  const earlier = new Map(before.map((part) => [nameOf(part), part.bytes]))
  return after
    .map((part) => ({ ...part, bytes: part.bytes - (earlier.get(nameOf(part)) ?? 0) }))
    .toSorted((one, other) => other.bytes - one.bytes)
}
