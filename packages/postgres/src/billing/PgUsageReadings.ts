import {
  type Span,
  type UsageFilter,
  type UsageGrouping,
  UsageReadings,
  type UsageSpans
} from "@agent-platform/billing"
import { firstIdAt, toPage } from "@agent-platform/kernel"
import { type DateTime, Effect, Semaphore } from "effect"
import type { Statement } from "effect/sql/Statement"
import { readTimestamp, texts, timestamp, timestamps } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import { askAlone } from "../pipelined.ts"
import type { Row } from "../table.ts"
import { CORRECTED_COLUMNS, toCorrected } from "./callTable.ts"
import {
  countsTable,
  dayTable,
  groupedOutcomesTable,
  groupedUsageTable,
  runModelTable,
  sumsTable,
  usageAtTable
} from "./rollUpTables.ts"

/** Most large readings of a process at a time. */
const READINGS_MAX = 2

/** As of when the roll-ups are, in every row of an answer, of which there is at least one. */
interface AsOfRow extends Row {
  readonly as_of: Date
}

const asOfIn = ([row]: ReadonlyArray<AsOfRow>): DateTime.Utc => readTimestamp(row?.as_of ?? new Date(0))

/** The rows with a finding; an answer without any has one row that is null beside `as_of`. */
const foundIn = (rows: ReadonlyArray<Row>, column: string): ReadonlyArray<Row> =>
  rows.filter((row) => row[column] !== null)

const daysTable = dayTable.omit("organizationId", "workspaceId")

const summed = (column: string): string => `sum(${column}) as ${column}`

const GROUPS: Readonly<Record<UsageGrouping, string>> = {
  model: "model",
  provider: "provider",
  agent_id: "agent_id::text"
}

const levelled = ({ days, hours }: UsageSpans) => [
  ...(days === undefined ? [] : [{ level: "day", ...days }]),
  ...hours.map((span) => ({ level: "hour", ...span }))
]

/** Readings of the roll-ups, and for a single run of the ledger. */
export const layer = layerSql(UsageReadings)((sql) => {
  const readings = Semaphore.makeUnsafe(READINGS_MAX)
  const sums = sql.literal(sumsTable.each(summed))

  const ofAgent = ({ agentId }: UsageFilter) =>
    agentId === undefined ? sql`true` : sql`found.agent_id::text = ${agentId}`
  const ofFilter = (filter: UsageFilter) =>
    sql.and([
      ofAgent(filter),
      filter.provider === undefined ? sql`true` : sql`found.provider = ${filter.provider}`,
      filter.model === undefined ? sql`true` : sql`found.model = ${filter.model}`
    ])

  /** The rows of a roll-up in all of the spans: one range of the primary key for each. */
  const rowsIn = (table: string, workspaceId: string, spans: UsageSpans) => {
    const wanted = levelled(spans)
    return sql`
        unnest(
          ${texts(wanted.map(({ level }) => level))}, ${timestamps(wanted.map(({ start }) => start))},
          ${timestamps(wanted.map(({ end }) => end))}
        ) as span (level, starts_at, ends_at)
        cross join lateral (
          select * from ${sql.literal(table)} as one
          where one.workspace_id = ${workspaceId} and one.level = span.level
            and one.starts_at >= span.starts_at and one.starts_at < span.ends_at
        ) as found
      `
  }

  /** The run's calls, each with the price that holds: `corrected` is the last correction of the call. */
  const callsOf = (workspaceId: string, runId: string, called: Span) => sql`
      agent_platform.model_call as call left join lateral (
        select cost_usd as corrected_cost_usd, price_version as corrected_price_version from agent_platform.usage_correction
        where usage_correction.workspace_id = ${workspaceId} and usage_correction.run_id = ${runId}
          and usage_correction.call_id = call.id
        order by usage_correction.id desc limit 1
      ) as corrected on true
      where call.workspace_id = ${workspaceId} and call.run_id = ${runId}
        and call.id >= ${firstIdAt(called.start)}::uuid and call.id < ${firstIdAt(called.end)}::uuid
    `

  /** A large reading: few at a time, so that writers still get connections. */
  const read = <Row extends object>(statement: Statement<Row>) =>
    Effect.orDie(readings.withPermits(1)(askAlone(sql, statement)))

  return {
    asOf: sql<AsOfRow>`select as_of from agent_platform.roll_up_state`.pipe(mapRows(asOfIn)),

    // The statement with `as_of` goes first, so that the second one reads newer rows, never older ones.
    usage: Effect.fnUntraced(function* (workspaceId, spans, { filter, groupBy }) {
      const group = sql.literal(groupBy === undefined ? "null::text" : GROUPS[groupBy])
      const runGroup = sql.literal(groupBy === "agent_id" ? GROUPS.agent_id : "null::text")
      const usage = yield* read(sql<AsOfRow>`
          select as_of, added.* from agent_platform.roll_up_state left join (
            select ${group} as grouped_by, key_source, ${sums} from ${rowsIn("agent_platform.usage_roll_up", workspaceId, spans)}
            where ${ofFilter(filter)} group by 1, 2
          ) as added on true
        `)
      const outcomes = yield* read(sql<Row>`
          select ${runGroup} as grouped_by, ${sql.literal(countsTable.each(summed))}
          from ${rowsIn("agent_platform.outcome_roll_up", workspaceId, spans)} where ${ofAgent(filter)} group by 1
        `)
      return {
        asOf: asOfIn(usage),
        usage: groupedUsageTable.readAll(foundIn(usage, "key_source")),
        outcomes: groupedOutcomesTable.readAll(outcomes)
      }
    }),

    hours: Effect.fnUntraced(function* (workspaceId, { end, start }, filter) {
      const within = sql`
          found.workspace_id = ${workspaceId} and found.level = 'hour'
            and found.starts_at >= ${timestamp(start)} and found.starts_at < ${timestamp(end)}
        `
      const usage = yield* read(sql<AsOfRow>`
          select as_of, added.* from agent_platform.roll_up_state left join (
            select starts_at, ${sums} from agent_platform.usage_roll_up as found
            where ${within} and ${ofFilter(filter)} group by starts_at
          ) as added on true
          order by starts_at
        `)
      const runs = yield* read(sql<{ readonly starts_at: Date; readonly runs: number }>`
          select starts_at, sum(succeeded + paused + failed + cancelled)::float8 as runs from agent_platform.outcome_roll_up as found
          where ${within} and ${ofAgent(filter)} group by starts_at order by starts_at
        `)
      return {
        asOf: asOfIn(usage),
        usage: usageAtTable.readAll(foundIn(usage, "starts_at")),
        runs: runs.map((row) => ({ at: readTimestamp(row.starts_at), runs: row.runs }))
      }
    }),

    days: Effect.fnUntraced(function* (workspaceId, month) {
      const first = `${month}-01`
      const rows = yield* Effect.orDie(sql<AsOfRow>`
          select as_of, ${sql.literal(daysTable.omit("date").each((column) => `day.${column}`))}, day.date::text as date
          from agent_platform.roll_up_state left join agent_platform.billing_day as day
            on day.workspace_id = ${workspaceId} and day.date >= ${first}::text::date
              and day.date < ${first}::text::date + interval '1 month'
          order by day.date
        `)
      return { asOf: asOfIn(rows), days: daysTable.readAll(foundIn(rows, "date")) }
    }),

    runCosts: (workspaceId, runId, called) =>
      read(sql<Row>`
          select provider, request_model as model, key_source, count(*) as requests,
            count(*) filter (where coalesce(corrected_cost_usd, cost_usd) is null) as unpriced_requests,
            sum(input_tokens)::bigint as input_tokens, sum(cache_read_tokens)::bigint as cache_read_tokens,
            sum(cache_write_tokens)::bigint as cache_write_tokens, sum(output_tokens)::bigint as output_tokens,
            sum(reasoning_tokens)::bigint as reasoning_tokens,
            coalesce(sum(coalesce(corrected_cost_usd, cost_usd)), 0)::text as cost_usd,
            (array_agg(coalesce(corrected_price_version, price_version) order by seq desc) filter (
              where coalesce(corrected_price_version, price_version) is not null
            ))[1] as price_version
          from ${callsOf(workspaceId, runId, called)}
          group by provider, request_model, key_source order by provider, request_model, key_source
        `).pipe(Effect.map(runModelTable.readAll)),

    runRequests: (workspaceId, runId, called, { before, limit }) =>
      sql<Row>`
          select ${sql.literal(CORRECTED_COLUMNS)}
          from ${callsOf(workspaceId, runId, called)}
            and ${before === undefined ? sql`true` : sql`call.seq < ${Number(before)}`}
          order by call.seq desc limit ${limit + 1}
        `.pipe(mapRows((rows) => toPage(rows.map(toCorrected), limit, ({ seq }) => String(seq))))
  }
})
