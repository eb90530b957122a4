import { type RollUpState, RollUpStore } from "@agent-platform/billing"
import { Effect } from "effect"
import { nullableTimestamp, readTimestamp, timestamp, uuids } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { readPlace } from "./places.ts"
import {
  countsTable,
  dayTable,
  figuresTable,
  latencyTable,
  monthTable,
  outcomeTable,
  sumsTable,
  usageTable
} from "./rollUpTables.ts"

/** The assignment that adds the new row's column to that of the row that is kept. */
const added = (column: string): string => `${column} = kept.${column} + excluded.${column}`

interface StateRow {
  readonly calls_place: string | null
  readonly corrections_place: string | null
  readonly runs_place: string | null
  readonly as_of: Date
  readonly sample_mark: string | null
  readonly sample_at: Date | null
}

const toState = (row: StateRow): RollUpState => ({
  calls: row.calls_place ?? undefined,
  corrections: row.corrections_place ?? undefined,
  runs: row.runs_place ?? undefined,
  asOf: readTimestamp(row.as_of),
  sample:
    row.sample_mark === null || row.sample_at === null
      ? undefined
      : { mark: BigInt(row.sample_mark), at: readTimestamp(row.sample_at) }
})

/** The failure where a mark is not below this transaction's own number: numbers only grow, so it comes from another server. */
const RESTORED =
  "The database was restored from a dump on another server: usage is not rolled up until 'admin database restored' " +
  "has renewed its marks, see 'After restoring a dump' in docs/operations.md"

/** Roll-ups in tables of their own; the lock on the row of `roll_up_state` admits one process at a time. */
export const layer = layerSql(RollUpStore)((sql) => ({
  hold: ({ quietSeconds }) =>
    sql<StateRow>`
          select calls_place, corrections_place, runs_place, as_of, sample_mark::text as sample_mark, sample_at
          from agent_platform.roll_up_state
          where tried_at <= clock_timestamp() - ${quietSeconds}::float8 * interval '1 second'
          for update skip locked
        `.pipe(mapRows(([row]) => row && toState(row))),

  save: Effect.fnUntraced(function* ({ asOf, calls, corrections, runs, sample }) {
    const [row] = yield* Effect.orDie(sql<{ readonly own_mark: string }>`
          update agent_platform.roll_up_state set calls_place = ${calls ?? null}, corrections_place = ${corrections ?? null},
            runs_place = ${runs ?? null}, as_of = ${timestamp(asOf)},
            sample_mark = ${sample === undefined ? null : String(sample.mark)}::text::xid8,
            sample_at = ${nullableTimestamp(sample?.at ?? null)}, tried_at = clock_timestamp()
          returning pg_current_xact_id()::text as own_mark
        `)
    const marks = [calls, corrections, runs].map((place) => BigInt(readPlace(place).mark))
    if (marks.some((mark) => mark >= BigInt(row?.own_mark ?? "0"))) return yield* Effect.die(new Error(RESTORED))
  }),

  months: Effect.fnUntraced(function* (workspaceIds, span) {
    if (workspaceIds.length === 0) return []
    const within =
      span === undefined ? sql`true` : sql`starts_at < ${timestamp(span.end)} and ends_at > ${timestamp(span.start)}`
    const rows = yield* Effect.orDie(sql<Row>`
          select ${sql.literal(monthTable.selected)} from agent_platform.billing_month
          where workspace_id = any(${uuids(workspaceIds)}) and ${within} order by starts_at
        `)
    return monthTable.readAll(rows)
  }),

  keepMonths: (months) =>
    months.length === 0
      ? Effect.void
      : sql`
              insert into agent_platform.billing_month (${sql.literal(monthTable.names)}) ${monthTable.rowsOf(months)}
              on conflict do nothing
            `.pipe(Effect.orDie, Effect.asVoid),

  // In the order of their keys, so that pages of the indexes are visited once.
  add: Effect.fnUntraced(function* ({ days, latencies, outcomes, usage }) {
    if (usage.length > 0)
      yield* sql`
            insert into agent_platform.usage_roll_up as kept (${sql.literal(usageTable.names)}) ${usageTable.rowsOf(usage)}
            order by workspace_id, level, starts_at, agent_id, provider, model, key_source
            on conflict (workspace_id, level, starts_at, agent_id, provider, model, key_source) do update set
              ${sql.literal(sumsTable.each(added))}
          `
    if (outcomes.length > 0)
      yield* sql`
            insert into agent_platform.outcome_roll_up as kept (${sql.literal(outcomeTable.names)}) ${outcomeTable.rowsOf(outcomes)}
            order by workspace_id, level, starts_at, agent_id
            on conflict (workspace_id, level, starts_at, agent_id) do update set ${sql.literal(countsTable.each(added))}
          `
    if (latencies.length > 0)
      yield* sql`
            insert into agent_platform.latency_roll_up as kept (${sql.literal(latencyTable.names)}) ${latencyTable.rowsOf(latencies)}
            order by workspace_id, kind, agent_id, starts_at, provider, model
            on conflict (workspace_id, kind, agent_id, starts_at, provider, model) do update set distribution = (
              select json_object_agg(bucket, observations) from (
                select key as bucket, sum(value::bigint) as observations from (
                  select * from json_each_text(kept.distribution) union all select * from json_each_text(excluded.distribution)
                ) as part group by key
              ) as summed
            )
          `
    if (days.length > 0)
      yield* sql`
            insert into agent_platform.billing_day as kept (${sql.literal(dayTable.names)}) ${dayTable.rowsOf(days)}
            order by workspace_id, date
            on conflict (workspace_id, date) do update set ${sql.literal(figuresTable.each(added))}
          `
  }, Effect.orDie)
}))
